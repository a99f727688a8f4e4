/**
 * Names of live agents, live teams and instances of an agent are unique as `folded_name` compares
 * them. Where two names are the same by that, the older row keeps its name. A younger one gets a
 * number after it, `Pay bot (2)`, and is cut where it would become too long.
 */
import type { Knex } from 'knex';

interface Named {
  readonly table: string;
  /** Where a name is unique. */
  readonly within: string;
  /** Finds one row. */
  readonly key: string;
  /** Which rows count; the others give their name free. */
  readonly live: string;
  readonly longest: number;
  readonly touch?: string;
}

const NAMED: readonly Named[] = [
  {
    table: 'agents',
    within: 'organization_id',
    key: 'slug',
    live: `status <> 'archived'`,
    longest: 200,
    touch: ', updated_at = clock_timestamp()',
  },
  {
    table: 'agent_instances',
    within: 'organization_id, agent_slug',
    key: 'id',
    live: 'true',
    longest: 200,
  },
  {
    table: 'teams',
    within: 'organization_id',
    key: 'id',
    live: 'archived_at is null',
    longest: 100,
  },
];

/** Code points without a shape (Default_Ignorable_Code_Point), so that none hides between letters. */
const UNSEEN = [
  String.raw`\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e`,
  String.raw`\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff`,
].join('');

/** White_Space of Unicode. */
const BLANK = String.raw`\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;

const renameYounger = ({ table, within, key, live, longest, touch = '' }: Named): string => `
  do $$
  declare
    clash record;
    suffix text;
    attempt integer;
  begin
    for clash in
      select ${within}, ${key}, regexp_replace(name, '[${BLANK}]+$', '') as name
        from (select *, row_number() over (partition by ${within}, folded_name(name) order by created_at, ${key}) as place
                from ${table} where ${live}) as named
       where place > 1
       order by created_at, ${key}
    loop
      attempt := 2;
      loop
        suffix := ' (' || attempt || ')';
        exit when not exists (
          select from ${table}
           where (${within}) = (${within.replaceAll(/\w+/g, 'clash.$&')}) and ${live}
             and folded_name(name) = folded_name(left(clash.name, ${longest} - length(suffix)) || suffix)
        );
        attempt := attempt + 1;
      end loop;
      update ${table} set name = left(clash.name, ${longest} - length(suffix)) || suffix${touch}
       where organization_id = clash.organization_id and ${key} = clash.${key};
    end loop;
  end $$;`;

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create function folded_name(name text) returns text
      language sql immutable strict parallel safe
      return regexp_replace(
        replace(replace(
          lower(normalize(regexp_replace(name, '[${UNSEEN}]', '', 'g'), NFKC) collate pg_c_utf8),
          'ß', 'ss'), 'ς', 'σ'),
        '^[${BLANK}]+|[${BLANK}]+$', '', 'g');
    comment on function folded_name(text) is
      'A name as names are compared: without invisible characters and surrounding white space, NFKC, case folded. lower() alone leaves ß and ς.';
    drop index agents_live_name_key;
    alter table agent_instances drop constraint agent_instances_name_key;
    drop index teams_live_name_key;
    ${NAMED.map(renameYounger).join('')}
    create unique index agents_live_name_key
      on agents (organization_id, text_digest(folded_name(name))) where status <> 'archived';
    create unique index agent_instances_name_key
      on agent_instances (organization_id, agent_slug, text_digest(folded_name(name)));
    create unique index teams_live_name_key
      on teams (organization_id, text_digest(folded_name(name))) where archived_at is null;
  `);
}

export async function down(db: Knex): Promise<void> {
  const before = `normalize(replace(name, chr(65039), ''), NFKC)`;
  await db.raw(`
    drop index teams_live_name_key;
    drop index agent_instances_name_key;
    drop index agents_live_name_key;
    drop function folded_name(text);
    create unique index agents_live_name_key
      on agents (organization_id, lower(${before} collate pg_c_utf8)) where status <> 'archived';
    alter table agent_instances
      add constraint agent_instances_name_key unique (organization_id, agent_slug, name);
    create unique index teams_live_name_key
      on teams (organization_id, lower(${before})) where archived_at is null;
  `);
}
