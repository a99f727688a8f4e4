/**
 * The whole schema as it was when migrations began to be final. `baseline/` has it by area, in the
 * order in which tables refer to each other.
 */
import type { Knex } from 'knex';
import { agents } from './baseline/agents.ts';
import { audit } from './baseline/audit.ts';
import { escalation } from './baseline/escalation.ts';
import { notifications } from './baseline/notifications.ts';
import { people } from './baseline/people.ts';
import { pipelines } from './baseline/pipelines.ts';
import { requests } from './baseline/requests.ts';
import { signIn } from './baseline/sign-in.ts';
import { slack } from './baseline/slack.ts';
import { tools } from './baseline/tools.ts';

const AREAS = [
  ...[people, signIn, agents, tools, pipelines, escalation],
  ...[requests, notifications, slack, audit],
];

/** Code points without a shape (Default_Ignorable_Code_Point), so that none hides between letters. */
const UNSEEN = [
  String.raw`\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e`,
  String.raw`\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff`,
].join('');

/** White_Space of Unicode. */
const BLANK = String.raw`\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create function text_digest(value text) returns bytea
      language sql immutable strict parallel safe return sha256(convert_to(value, 'UTF8'));
    comment on function text_digest(text) is
      'SHA-256 of a text, for unique indexes on long ones. The encoding of the database never changes, so it is immutable.';

    create function folded_name(name text) returns text
      language sql immutable strict parallel safe
      return regexp_replace(
        replace(replace(
          lower(normalize(regexp_replace(name, '[${UNSEEN}]', '', 'g'), NFKC) collate pg_c_utf8),
          'ß', 'ss'), 'ς', 'σ'),
        '^[${BLANK}]+|[${BLANK}]+$', '', 'g');
    comment on function folded_name(text) is
      'A name as names are compared: without invisible characters and surrounding white space, NFKC, case folded. lower() alone leaves ß and ς.';

    create function mark_request_changed() returns trigger language plpgsql as $$
    begin
      new.changed_in = pg_current_xact_id();
      return new;
    end $$;

    create function refuse_change() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' and tg_table_name = 'decisions' then
        perform from approval_requests r join agents a on a.organization_id = r.organization_id and a.slug = r.agent_slug
          where r.id = old.request_id and a.demo;
        if found then return old; end if;
      elsif tg_op = 'DELETE' and tg_table_name = 'request_approval_pipeline_revisions' then
        perform from request_approval_pipelines p
          join agents a on a.organization_id = p.organization_id and p.document_key = 'agent:' || a.slug
          where p.id = old.request_approval_pipeline_id and a.demo;
        if found then return old; end if;
      end if;
      raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
    end $$;
  `);
  for (const area of AREAS) await db.raw(area);
}

export async function down(db: Knex): Promise<void> {
  const tables = AREAS.flatMap((area) =>
    [...area.matchAll(/^create (?:unlogged )?table (\w+)/gm)].map(([, name]) => name),
  );
  await db.raw(`
    drop view held_policies;
    drop table ${tables.join(', ')};
    drop function refuse_change(), mark_request_changed(), folded_name(text), text_digest(text);
    drop extension if exists pg_trgm;
  `);
}
