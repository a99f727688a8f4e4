/**
 * Decisions in one statement compare the version of the organization's access. So each transaction
 * that changes what a caller may do must give it a new one.
 */
import { beforeAll, expect, test } from '@jest/globals';
import type { ApiResponse } from '../../support/http.ts';
import { everywhere, REVIEWER, scene } from '../../support/scene.ts';
import { accept, invited } from '../../support/scene/invitations.ts';
import { ofMember, ofTeam, post, put, terms } from '../../support/scene/permission-policies.ts';
import { setMembers, TEAMS } from '../../support/scene/teams.ts';

const { app, organization, owner, people, teams, suspend, remove } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER },
  teams: { night: { members: ['ada'] } },
});
const { ada, bob } = people;

/** What the credential statements read, and the column of its organization. */
const READ = {
  memberships: 'changed.organization_id',
  permission_policies: 'changed.organization_id',
  teams: 'changed.organization_id',
  team_members: '(select organization_id from teams where id = changed.team_id)',
  organizations: 'changed.id',
};

beforeAll(async () => {
  for (const [table, organizationId] of Object.entries(READ)) {
    await app.db.raw(`
      create function ${table}_needs_version() returns trigger language plpgsql as $$
      declare changed record;
      begin
        if tg_op = 'DELETE' then changed := old; else changed := new; end if;
        if not exists (select from organizations where id = ${organizationId} and xmin = cast(pg_current_xact_id() as xid)) then
          raise exception 'access changed without a new version: ${table}';
        end if;
        return null;
      end $$`);
    await app.db.raw(`
      create constraint trigger needs_version after insert or update or delete on ${table}
      deferrable initially deferred for each row execute function ${table}_needs_version()`);
  }
});

const { browser } = owner;
const at = `/api/v1/members/${bob.membershipId}`;
const night = `${TEAMS}/${teams.night}`;

/** Creates a policy of a holder, replaces it and deletes it. */
async function changePolicies(path: string): Promise<ApiResponse[]> {
  const created = await post(browser, path, terms('request.read'));
  const policy = `${path}/${String(created.body['id'])}`;
  const replaced = await put(browser, policy, { ...terms('request.decide'), revision: 1 });
  return [created, replaced, await browser.delete(policy)];
}

async function changeSettings(): Promise<ApiResponse> {
  const path = '/api/v1/organization';
  const { headers } = await browser.get(path);
  return await browser.call('PATCH', path, {
    body: { settings: { personal_api_keys_allowed: false } },
    headers: { 'if-match': headers['etag'] ?? '' },
  });
}

const changes: readonly (readonly [string, () => Promise<ApiResponse | readonly ApiResponse[]>])[] =
  [
    ['policies of a member', () => changePolicies(ofMember(ada))],
    ['policies of a team', () => changePolicies(ofTeam(teams.night))],
    ['a new team', () => browser.post(TEAMS, { name: 'Day' })],
    ['the roster of a team', () => setMembers(browser, teams.night, [bob.membershipId])],
    ['the end of a team', () => browser.delete(night)],
    ['a suspension', () => suspend(bob)],
    ['its end', () => browser.call('PATCH', at, { body: { status: 'active' } })],
    ['a removal', () => remove(bob)],
    [
      'an invitation',
      async () => {
        const { token } = await invited(owner, { policies: [everywhere('request.read')] });
        return await accept(app, token);
      },
    ],
    ['settings', changeSettings],
    ['the guided setup', () => browser.post('/api/v1/organization/onboarding/complete')],
    [
      'the end of the organization',
      () => browser.delete(`/api/v1/organization?confirm=${organization.slug}`),
    ],
  ];

test.each(changes)('gives access a new version: %s', async (_what, change) => {
  const answers = [await change()].flat();
  expect(answers.map(({ status, text }) => (status < 300 ? 'done' : text))).toEqual(
    answers.map(() => 'done'),
  );
});

test('the check refuses a change without one', async () => {
  await expect(
    app.db('memberships').where({ organization_id: organization.id }).update({ status: 'active' }),
  ).rejects.toThrow('access changed without a new version: memberships');
});
