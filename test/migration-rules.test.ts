import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { BEFORE_THE_RULES, brokenRules } from '../bin/build/migration-rules.ts';
import { packageRoot } from '../src/platform/package-root.ts';

const folder = join(packageRoot(), 'migrations');
const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));
const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8');

test.each(files.filter((file) => !BEFORE_THE_RULES.includes(file)).concat('none'))(
  'migration %s runs beside a service: docs/contributing/migration.md',
  (file) => {
    expect(file === 'none' ? [] : brokenRules(textOf(file))).toEqual([]);
  },
);

test('the migrations from before the rules are there, and break them', () => {
  expect(brokenRules(textOf('20261128100000_call_results.ts')).length).toBeGreaterThan(1);
  expect(BEFORE_THE_RULES.filter((file) => !files.includes(file))).toEqual([]);
});

const migration = (sql: readonly string[], alone = false): string =>
  `${alone ? 'export const config = { transaction: false };' : ''}
   export async function up(db: Knex) { ${sql.map((each) => `await db.raw(\`${each}\`);`).join('\n')} }
   export async function down(db: Knex) { await db.raw(\`drop table agents\`); }`;

describe('a migration', () => {
  test.each<[string, RegExp, readonly string[], boolean?]>([
    ['an index', /built `concurrently`/, ['create index a_idx on agents (name)']],
    ['a unique index', /built `concurrently`/, ['create unique index a_idx\n on agents (name)']],
    [
      'a concurrent index in a transaction',
      /config = \{ transaction: false \}/,
      [
        'drop index concurrently if exists a_idx',
        'create index concurrently a_idx on agents (name)',
      ],
    ],
    [
      'a concurrent index without a drop before it',
      /drop index concurrently if exists/,
      ['create index concurrently a_idx on agents (name)'],
      true,
    ],
    ['a check', /not valid/, ["alter table agents add constraint x check (name <> '')"]],
    ['a column with a check', /not valid/, ['alter table agents add column x text check (x > 1)']],
    ['a reference', /not valid/, ['alter table agents add column x uuid references teams (id)']],
    ['a unique constraint', /not valid/, ['alter table agents add constraint x unique (name)']],
    [
      'a constraint and its validation',
      /in another migration/,
      [
        'alter table agents add constraint x check (a > 1) not valid; alter table agents validate constraint x',
      ],
    ],
    ['not null', /`set not null`/, ['alter table agents alter column name set not null']],
    ['another type', /another type/, ['alter table agents alter column a type bigint']],
    [
      'a default that is computed for each row',
      /computed value/,
      ['alter table agents add column a uuid not null default gen_random_uuid()'],
    ],
    ['a change of all rows', /in batches/, ['update agents set a = 1'], true],
    [
      'a batch in a transaction',
      /in batches/,
      ['update agents set a = 1 where id in (select id from agents where a is null limit 9)'],
    ],
    ['a removal of rows', /in batches/, ['delete from agents where a']],
    [
      'two tables in use',
      /one table in use/,
      ['alter table agents add column a text', 'alter table teams add column a text'],
    ],
    [
      'a trigger and another table',
      /one table in use/,
      [
        'create trigger t before insert on agents for each row execute function f()',
        'alter table teams drop column a',
      ],
    ],
    ['a lock of a table', /whole table/, ['lock table agents']],
  ])('with %s is refused', (_what, says, sql, alone = false) => {
    const broken = brokenRules(migration(sql, alone));
    expect(broken).toEqual([expect.stringMatching(says)]);
  });

  test.each<[string, readonly string[], boolean?]>([
    [
      'a new table, with all that it needs',
      [
        `create table toys (id uuid primary key, agent uuid references agents (id), constraint toys_check check (id is not null));
       create index toys_agent_idx on toys (agent); alter table toys add constraint x unique (agent); update toys set id = id`,
      ],
    ],
    [
      'a column with a constant',
      ['alter table agents add column a boolean not null default false'],
    ],
    [
      'a constraint that is not valid',
      ['alter table agents add constraint x check (a > 1) not valid'],
    ],
    ['the validation', ['alter table agents validate constraint x']],
    [
      'a trigger and its function',
      [
        `create function f() returns trigger language plpgsql as $$ begin update agents set a = 1; return new; end $$;
       create trigger t before insert on agents for each row execute function f()`,
      ],
    ],
    [
      'an index beside calls',
      [
        `set lock_timeout = '10min'`,
        'drop index concurrently if exists a_idx',
        'create index concurrently a_idx on agents (name)',
      ],
      true,
    ],
    [
      'a backfill in batches',
      [
        'update agents set a = 1 where id in (select id from agents where a is null order by id limit 500)',
      ],
      true,
    ],
  ])('with %s is fine', (_what, sql, alone = false) => {
    expect(brokenRules(migration(sql, alone))).toEqual([]);
  });
});
