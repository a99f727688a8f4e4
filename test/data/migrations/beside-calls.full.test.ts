/** Migrations on a used database, while the service has calls and other sessions hold locks. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  migrateToLatest,
  migrationSource,
  type MigrateOptions,
} from '../../../src/data/migrate.ts';
import { openPool, type Pool, type Trx } from '../../../src/platform/postgres.ts';
import { OperatorError } from '../../../src/platform/operator-error.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { until, untilBlocked } from '../../support/waiting.ts';
import { nameOf, withSteps, type Step } from './steps.ts';

const { app, ask, people, decide, claimed, withdraw, reachDeadline } = await scene({
  people: { ada: REVIEWER },
  paths: { 'on-call': [['ada'], ['ada']] },
});
const { ada } = people;

const KINDS: readonly ((id: string) => Promise<unknown>)[] = [
  (id) => decide(ada, id),
  (id) => decide(ada, id, { status: 'denied' }),
  (id) => claimed(ada, id),
  (id) => withdraw(id),
  (id) => reachDeadline(id),
  () => Promise.resolve(),
];
for (let each = 0; each < 60; each += 1) {
  const id = await ask({ tool: `tool-${each % 7}`, evaluated: each % 10 > 0 });
  if (each % 10 > 0) await KINDS[each % KINDS.length]?.(id);
}

/** Another program with a connection of its own. */
let psql: Pool;
beforeEach(() => {
  psql = openPool({ connectionString: app.databaseUrl, max: 2, applicationName: 'psql' });
});
afterEach(async () => {
  await psql.destroy();
  await app.db.raw(`
    alter table approval_requests drop column if exists region;
    alter table agents drop column if exists region;
    drop function if exists name_region cascade;
    delete from knex_migrations where name like '2999%';`);
});

const migrate = (steps?: readonly Step[], options: MigrateOptions = {}) =>
  migrateToLatest(app.databaseUrl, {
    source: withSteps(migrationSource, steps && { steps }),
    ...options,
  });

interface Calls {
  readonly slowestMs: number;
  readonly count: number;
}

/** Creates, lists and decisions go on for as long as the work takes. Each must succeed. */
async function duringCalls(work: () => Promise<unknown>): Promise<Calls> {
  let [slowestMs, count, over] = [0, 0, false];
  const timed = async (call: () => Promise<unknown>): Promise<void> => {
    const began = performance.now();
    await call();
    slowestMs = Math.max(slowestMs, performance.now() - began);
    count += 1;
  };
  const list = async () => {
    expect((await ada.http.get('/api/v1/requests?scope=decidable')).status).toBe(200);
  };
  const round = async () => {
    while (!over) {
      let id = '';
      await timed(async () => {
        id = await ask();
      });
      await timed(list);
      await timed(async () => {
        expect((await decide(ada, id)).status).toBe(200);
      });
    }
  };
  const rounds = [round(), round()];
  try {
    await work();
    await delay(200);
  } finally {
    over = true;
    await Promise.all(rounds);
  }
  return { slowestMs, count };
}

/** Where a migration does not give way, a call waits 5 s for its lock, and fails. The rest is for a busy machine. */
const SLOWEST_MS = 4_500;

async function sentenceOf(failing: Promise<unknown>): Promise<string> {
  const error: unknown = await failing.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(OperatorError);
  const { message } = error as OperatorError;
  expect(message).not.toContain('\n');
  return message;
}

describe('`migrate` beside calls', () => {
  test('runs a step of each kind: no call fails or waits long, and every row has its value', async () => {
    let ran: readonly string[] = [];
    const { slowestMs, count } = await duringCalls(async () => {
      ran = await migrate();
    });
    const steps = ['column', 'trigger', 'backfill', 'constraint', 'validation', 'index'] as const;
    expect(ran).toEqual(steps.map(nameOf));
    expect(count).toBeGreaterThan(5);
    expect(slowestMs).toBeLessThan(SLOWEST_MS);
    expect(await app.db('approval_requests').whereNull('region')).toEqual([]);
    expect(await migrate()).toEqual([]);
  });

  test('says in a line whose session keeps it from which table, lets calls go on, and runs what is left next time', async () => {
    const lines: string[] = [];
    const options = { giveUpAfterMs: 4_000, onProgress: (line: string) => lines.push(line) };
    let sentence = '';
    await psql.transaction(async (idle) => {
      await idle.raw('select   1 from approval_requests\n limit 1');
      const { slowestMs, count } = await duringCalls(async () => {
        sentence = await sentenceOf(migrate(['column'], options));
      });
      expect(count).toBeGreaterThan(5);
      expect(slowestMs).toBeLessThan(SLOWEST_MS);
    });
    expect(sentence).toMatch(
      /^Migration 29990101000000_column got no lock on approval_requests for 4 s\. Process \d+ \(psql\) holds it since [-\d]+T[\d:.]+Z, idle in transaction: select 1 from approval_requests limit 1\. 0 of 1 migrations ran, and this one changed nothing\. .*run `countersign migrate` again\.$/,
    );
    expect(lines).toEqual([
      'Migration 29990101000000_column waits for approval_requests. It tries for 4 s.',
    ]);
    expect(await migrate(['column'], options)).toEqual([nameOf('column')]);
  });

  test('goes on with a backfill that a held row stopped', async () => {
    await migrate(['column', 'trigger']);
    const held = async (trx: Trx) =>
      await trx.raw(`update approval_requests set tool = tool
        where id = (select id from approval_requests where region is null order by id desc limit 1)`);
    await psql.transaction(async (writer) => {
      await held(writer);
      const sentence = await sentenceOf(
        migrate(['column', 'trigger', 'backfill'], { giveUpAfterMs: 1_500 }),
      );
      expect(sentence).toMatch(
        /_backfill got no lock on approval_requests .*Process \d+ \(psql\) .*: update approval_requests .*what this one did so far stays/,
      );
    });
    expect(await migrate(['column', 'trigger', 'backfill'])).toEqual([nameOf('backfill')]);
    expect(await app.db('approval_requests').whereNull('region')).toEqual([]);
  });

  test('gives way where each would wait for the other: the other process goes first', async () => {
    const both = async (db: Trx) => {
      await db.raw(`alter table approval_requests add column region text`);
      await db.raw(`alter table agents add column region text`);
    };
    const more = {
      '29990101000009_both': { up: both as never, down: () => Promise.resolve() },
    };
    const source = withSteps(migrationSource, { steps: [], more });
    let migrating: Promise<string[]> | undefined;
    await psql.transaction(async (other) => {
      await other.raw('update agents set name = name');
      migrating = migrateToLatest(app.databaseUrl, { source });
      await untilBlocked(other);
      // A deadlock would be found after a second, and cost either of them its work.
      await other.raw('update approval_requests set tool = tool');
    });
    expect(await migrating).toEqual(['29990101000009_both']);
  });
});

describe('several at once', () => {
  test('run each step once, and the second says that it waits', async () => {
    const lines: string[] = [];
    const onProgress = (line: string) => lines.push(line);
    let first: Promise<string[]> | undefined;
    let second: Promise<string[]> | undefined;
    await psql.transaction(async (idle) => {
      await idle.raw('select 1 from approval_requests limit 1');
      first = migrate(undefined);
      await untilBlocked(idle);
      second = migrate(undefined, { onProgress });
      await until('the second says that it waits', () => lines.length > 0);
      const sentence = await sentenceOf(migrate(undefined, { waitForMs: 500 }));
      expect(sentence).toMatch(
        /^Another `migrate` \(process (\d+)( from [\d.:a-f]+)? since [-\d]+T[\d:.]+Z\) did not end within 0\.5 s, and this one changed nothing\. .*pg_terminate_backend\(\1\).*run `countersign migrate` again\.$/,
      );
    });
    expect((await first)?.length).toBe(6);
    expect(await second).toEqual([]);
    expect(lines).toEqual([
      expect.stringMatching(
        /^Another `migrate` is at work \(process \d+.* since .*Z\)\. Waiting for its end, for 600 s at most\.$/,
      ),
    ]);
  });

  test('leave a session that ends with their process, also in the middle of a statement', async () => {
    let noticed = '';
    const look = async (db: Trx) => {
      const { rows } = await db.raw<{ rows: [{ every: string }] }>(
        `select current_setting('client_connection_check_interval') as every`,
      );
      noticed = rows[0].every;
    };
    const more = {
      '29990101000009_look': { up: look as never, down: () => Promise.resolve() },
    };
    await migrateToLatest(app.databaseUrl, {
      source: withSteps(migrationSource, { steps: [], more }),
    });
    expect(noticed).toBe('1s');
  });

  test('end in one line when the connection is lost, and the next one runs', async () => {
    const ofRun = `from pg_stat_activity where application_name = 'countersign-migrate-watch' and datname = current_database()`;
    let sentence: Promise<string> | undefined;
    await psql.transaction(async (idle) => {
      await idle.raw('select 1 from approval_requests limit 1');
      const lines: string[] = [];
      sentence = sentenceOf(migrate(['column'], { onProgress: (line) => lines.push(line) }));
      await until('it waits for its next try', () => lines.length > 0);
      await psql.raw(`select pg_terminate_backend(pid) ${ofRun}`);
      expect(await sentence).toMatch(
        /^Migration 29990101000000_column was cut off: .*\. 0 of 1 migrations ran\. Run `countersign migrate` again\.$/,
      );
    });
    expect(await migrate(['column'])).toEqual([nameOf('column')]);
  });

  test('do not wait for one that was killed', async () => {
    await app.db('knex_migrations_lock').update({ is_locked: 1 });
    expect(await migrate(['column'])).toEqual([nameOf('column')]);
  });
});
