/** The database has what the table of channel kinds promises, and the SQL made from the table says the same. */
import { expect, test } from '@jest/globals';
import { postsForLevel, postsForMember, wantsKind } from '../../../src/data/channel-kinds.ts';
import { CHANNEL_KINDS, kindsThat, MEMBER_CHANNEL_KINDS } from '../../../src/domain/channels.ts';
import { queryRows } from '../../../src/platform/rows.ts';
import { appForFile } from '../../support/scene.ts';

const app = await appForFile();

test('every kind can be stored, and no other', async () => {
  const [row] = await queryRows<{ rule: string }>(
    app.db,
    `select pg_get_constraintdef(oid) as rule from pg_constraint where conname = 'notification_channels_kind_check'`,
    {},
  );
  const stored = [...(row?.rule ?? '').matchAll(/'(\w+)'/g)].map(([, kind]) => kind);
  expect(stored.sort()).toEqual([...CHANNEL_KINDS].sort());
});

test('members have a setting for each kind that reaches them, and for no other', async () => {
  const rows = await queryRows<{ name: string }>(
    app.db,
    `select column_name as name from information_schema.columns
      where table_name = 'notification_settings' and table_schema = current_schema() and data_type = 'boolean'`,
    {},
  );
  expect(rows.map(({ name }) => name).sort()).toEqual([...MEMBER_CHANNEL_KINDS].sort());
});

test('a kind that a member turned off is unwanted, and nothing else is', async () => {
  for (const off of MEMBER_CHANNEL_KINDS) {
    const values = MEMBER_CHANNEL_KINDS.map((kind) => `${String(kind !== off)} as ${kind}`);
    const rows = await queryRows<{ kind: string }>(
      app.db,
      `select kind from unnest(cast(:kinds as text[])) as kind, (select ${values.join(', ')}) as w
        where not ${wantsKind('w', 'kind')}`,
      { kinds: [...CHANNEL_KINDS] },
    );
    expect(rows.map(({ kind }) => kind)).toEqual([off]);
  }
});

test('a kind posts for each member or once a level as it says, where nothing that it needs is missing', async () => {
  const ids = { channel: 'gen_random_uuid()', member: 'gen_random_uuid()' };
  const rows = await queryRows<{ kind: string; forMember: boolean; forLevel: boolean }>(
    app.db,
    `select kind, ${postsForMember('kind', ids)} as for_member, ${postsForLevel('kind', ids.channel)} as for_level
       from unnest(cast(:kinds as text[])) as kind`,
    { kinds: [...CHANNEL_KINDS], by_email: true },
  );
  const listed = (hold: (row: (typeof rows)[number]) => boolean) =>
    rows.filter(hold).map(({ kind }) => kind);
  const isMet = (need?: string) => need === 'always' || need === 'mail_server';
  expect(listed(({ forMember }) => forMember)).toEqual(
    kindsThat(({ posts }) => isMet(posts.eachMember)),
  );
  expect(listed(({ forLevel }) => forLevel)).toEqual(
    kindsThat(({ posts }) => isMet(posts.eachLevel)),
  );
});
