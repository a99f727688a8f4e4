/** Lets something happen at a chosen place between two statements of the service, or inside one. */
import { expect } from '@jest/globals';
import type { TestApp } from './app.ts';
import { untilBlocked } from './waiting.ts';

export interface Gate {
  /** A part of the statement's text, outside transactions. */
  readonly of: string;
  /**
   * `before`: happens, then the statement is sent. `within`: happens after the statement has taken its
   * snapshot, and before it reads the table named in `of` as `from <table> <alias>`.
   */
  readonly at: 'before' | 'within';
  readonly happens: () => Promise<unknown>;
}

const PAUSE = 20_261_122;

/** Runs `call`, and what happens at the gate, which it must reach. */
export async function through<T>(app: TestApp, gate: Gate, call: () => Promise<T>): Promise<T> {
  return gate.at === 'before' ? await before(app, gate, call) : await within(app, gate, call);
}

type Raw = (
  sql: string,
  bindings: unknown,
) => { options: (options: object) => PromiseLike<unknown> };

/** Replaces the first such statement that the pool sends. */
async function replacing<T>(
  { db }: TestApp,
  { of }: Gate,
  { by, call }: { readonly by: (raw: Raw) => Raw; readonly call: () => Promise<T> },
): Promise<T> {
  const pool = db as unknown as { raw: Raw };
  const raw: Raw = pool.raw.bind(pool);
  const use = (value: Raw) => Object.defineProperty(pool, 'raw', { value, configurable: true });
  let reached = false;
  use((sql, bindings) => {
    if (reached || !sql.includes(of)) return raw(sql, bindings);
    reached = true;
    return by(raw)(sql, bindings);
  });
  try {
    const result = await call();
    expect(reached).toBe(true);
    return result;
  } finally {
    use(raw);
  }
}

async function before<T>(app: TestApp, gate: Gate, call: () => Promise<T>): Promise<T> {
  const by =
    (raw: Raw): Raw =>
    (sql, bindings) => ({
      options: async (options) => {
        await gate.happens();
        return await raw(sql, bindings).options(options);
      },
    });
  return await replacing(app, gate, { by, call });
}

async function within<T>(app: TestApp, gate: Gate, call: () => Promise<T>): Promise<T> {
  const pause = `from (select pg_advisory_xact_lock(${PAUSE})) as pause cross join`;
  // Another text needs another name, and none is needed.
  const by =
    (raw: Raw): Raw =>
    (sql, bindings) => ({
      options: ({ name: _, ...options }: { name?: string }) =>
        raw(sql.replace(gate.of, gate.of.replace('from', pause)), bindings).options(options),
    });
  return await replacing(app, gate, {
    by,
    call: async () => {
      const { called } = await app.db.transaction(async (trx) => {
        await trx.raw(`select pg_advisory_xact_lock(${PAUSE})`);
        const begun = call();
        await untilBlocked(trx);
        await gate.happens();
        return { called: begun };
      });
      return await called;
    },
  });
}

/** Runs `call`. The first transaction that the service begins waits until this has happened. */
export async function beforeTransaction<T>(
  { db }: TestApp,
  happens: () => Promise<unknown>,
  call: () => Promise<T>,
): Promise<T> {
  type Begin = (work: unknown) => Promise<unknown>;
  const pool = db as unknown as { transaction: Begin };
  const begin: Begin = pool.transaction.bind(pool);
  const use = (value: Begin) =>
    Object.defineProperty(pool, 'transaction', { value, configurable: true });
  let reached = false;
  use(async (work) => {
    if (!reached) {
      reached = true;
      await happens();
    }
    return await begin(work);
  });
  try {
    const result = await call();
    expect(reached).toBe(true);
    return result;
  } finally {
    use(begin);
  }
}

/** Runs `call`. Before the first statement that a transaction of the service sends with this text, this happens. */
export async function beforeStatementOfTransaction<T>(
  { db }: TestApp,
  { of, happens }: Omit<Gate, 'at'>,
  call: () => Promise<T>,
): Promise<T> {
  type Work = (trx: { raw: Raw }) => Promise<unknown>;
  type Begin = (work: Work) => Promise<unknown>;
  const pool = db as unknown as { transaction: Begin };
  const begin: Begin = pool.transaction.bind(pool);
  const use = (value: Begin) =>
    Object.defineProperty(pool, 'transaction', { value, configurable: true });
  let reached = false;
  use((work) =>
    begin(async (trx) => {
      const raw: Raw = trx.raw.bind(trx);
      const value: Raw = (sql, bindings) => {
        if (reached || !sql.includes(of)) return raw(sql, bindings);
        reached = true;
        return {
          options: async (options) => {
            await happens();
            return await raw(sql, bindings).options(options);
          },
        };
      };
      Object.defineProperty(trx, 'raw', { value, configurable: true });
      return await work(trx);
    }),
  );
  try {
    const result = await call();
    expect(reached).toBe(true);
    return result;
  } finally {
    use(begin);
  }
}
