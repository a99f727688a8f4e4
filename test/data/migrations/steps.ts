/** A migration of each kind, written as docs/contributing/migration.md says. They run in this order. */
import type { Migration, MigrationSource } from '../../../src/data/migrate.ts';

const down = (): Promise<void> => Promise.resolve();

const column: Migration = {
  down,
  async up(db) {
    await db.raw(`alter table approval_requests add column region text`);
  },
};

const trigger: Migration = {
  down,
  async up(db) {
    await db.raw(`
      create function name_region() returns trigger language plpgsql as $$
      begin
        new.region = coalesce(new.region, 'eu');
        return new;
      end $$;
      create trigger approval_requests_region before insert on approval_requests
        for each row execute function name_region();
    `);
  },
};

const NEXT_ROWS = `
  update approval_requests set region = 'eu'
    where id in (select id from approval_requests where region is null order by id limit 500)`;

const backfill: Migration = {
  config: { transaction: false },
  down,
  async up(db) {
    for (;;) {
      const { rowCount } = await db.raw<{ rowCount: number }>(NEXT_ROWS);
      if (rowCount === 0) return;
    }
  },
};

const constraint: Migration = {
  down,
  async up(db) {
    await db.raw(`
      alter table approval_requests
        add constraint approval_requests_region_check check (region is not null) not valid`);
  },
};

const validation: Migration = {
  down,
  async up(db) {
    await db.raw(
      `alter table approval_requests validate constraint approval_requests_region_check`,
    );
  },
};

const index: Migration = {
  config: { transaction: false },
  down,
  async up(db) {
    await db.raw(`set lock_timeout = '10min'`);
    await db.raw(`drop index concurrently if exists approval_requests_region_idx`);
    await db.raw(
      `create index concurrently approval_requests_region_idx on approval_requests (region)`,
    );
  },
};

const STEPS = { column, trigger, backfill, constraint, validation, index };
export type Step = keyof typeof STEPS;
const ALL = Object.keys(STEPS) as Step[];

/** These migrations after those of this version. */
export function withSteps(
  released: MigrationSource,
  { steps = ALL, more = {} }: { readonly steps?: readonly Step[]; readonly more?: Steps } = {},
): MigrationSource {
  const added: Steps = {
    ...Object.fromEntries(steps.map((step) => [nameOf(step), STEPS[step]])),
    ...more,
  };
  return {
    getMigrations: async (loaded) => [
      ...(await released.getMigrations(loaded)),
      ...Object.keys(added),
    ],
    getMigrationName: (name) => released.getMigrationName(name),
    getMigration: async (name) => added[name] ?? (await released.getMigration(name)),
  };
}

type Steps = Readonly<Record<string, Migration>>;

export const nameOf = (step: Step): string => `2999010100000${ALL.indexOf(step)}_${step}`;
