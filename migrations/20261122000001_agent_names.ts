/**
 * Names of live agents are unique, ignoring case and Unicode variants. Where two names fold to the
 * same, the older agent keeps its name. The younger one gets its slug after the name, `Deploy
 * (deploy-bot)`, and a number if needed.
 */
import type { Knex } from 'knex';

/** The same comparison as for team names, independent of the locale of the database. */
const folded = (name: string): string =>
  `lower(normalize(replace(${name}, chr(65039), ''), NFKC) collate pg_c_utf8)`;

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    drop index agents_live_name_key;
    do $$
    declare
      clash record;
      suffix text;
      attempt integer;
    begin
      for clash in
        select organization_id, slug, name
          from (select *, row_number() over (partition by organization_id, ${folded('name')} order by created_at, slug) as place
                  from agents where status <> 'archived') as live
         where place > 1
         order by created_at, slug
      loop
        attempt := 1;
        suffix := ' (' || clash.slug || ')';
        while exists (
          select from agents
           where organization_id = clash.organization_id and status <> 'archived'
             and ${folded('name')} = ${folded('left(clash.name, 200 - length(suffix)) || suffix')}
        ) loop
          attempt := attempt + 1;
          suffix := ' (' || clash.slug || ') (' || attempt || ')';
        end loop;
        update agents
           set name = left(clash.name, 200 - length(suffix)) || suffix, updated_at = clock_timestamp()
         where organization_id = clash.organization_id and slug = clash.slug;
      end loop;
    end $$;
    create unique index agents_live_name_key on agents (organization_id, ${folded('name')}) where status <> 'archived';
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop index agents_live_name_key;
    create unique index agents_live_name_key on agents (organization_id, name) where status <> 'archived';
  `);
}
