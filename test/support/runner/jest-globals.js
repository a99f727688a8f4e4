/**
 * `@jest/globals` for tests and their support modules, which outlive a test file: each name is that of the file that runs
 * now.
 */
const current = (name) => globalThis[Symbol.for('countersign.jest-globals')][name];

const following = (name) =>
  new Proxy(() => undefined, {
    apply: (_target, _this, given) => current(name)(...given),
    get: (_target, key) => current(name)[key],
  });

export const afterAll = following('afterAll');
export const afterEach = following('afterEach');
export const beforeAll = following('beforeAll');
export const beforeEach = following('beforeEach');
export const describe = following('describe');
export const expect = following('expect');
export const it = following('it');
export const test = following('test');
