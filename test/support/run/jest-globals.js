/**
 * `@jest/globals` for tests and their support modules, which outlive a file under runner.js: each name is that of the file that runs.
 * Global setup puts it where they find it.
 */
const of = (name) => following(() => globalThis[Symbol.for('countersign.jest-globals')][name]);

/** Follows also what a support module keeps of it, such as `describe.skip`. */
const following = (current) =>
  new Proxy(() => undefined, {
    apply: (_target, _this, given) => current()(...given),
    get: (_target, key) => {
      const value = current()[key];
      return typeof value === 'function' ? following(() => current()[key]) : value;
    },
  });

export const afterAll = of('afterAll');
export const afterEach = of('afterEach');
export const beforeAll = of('beforeAll');
export const beforeEach = of('beforeEach');
export const describe = of('describe');
export const expect = of('expect');
export const it = of('it');
export const test = of('test');
