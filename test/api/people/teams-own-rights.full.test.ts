/** That rights someone has only as a member of a team give no power over the other members of it. */
import { expect, test } from '@jest/globals';
import { scene } from '../../support/scene.ts';
import {
  createMember,
  createTeam,
  type Policy,
  type TestMember,
} from '../../support/scene/factories.ts';
import { codeOf, idsOf, roster, setMembers, TEAMS } from '../../support/scene/teams.ts';

const { app, organization, owner } = await scene();
const READS: Policy = { scope_kind: 'organization', permissions: ['agent.read', 'team.read'] };
const LEADS: Policy = { scope_kind: 'organization', permissions: ['team.member.write'] };
const REFUSED = { status: 403, code: 'grant_exceeds_own' };

const newMember = (...policies: Policy[]) => createMember(app, organization.id, { policies });

async function teamWith(...members: readonly TestMember[]): Promise<string> {
  const team = await createTeam(app, organization.id, { policies: [READS] });
  expect((await setMembers(owner.http, team, idsOf(...members))).status).toBe(200);
  return team;
}

test('a member who holds a team’s grants only through that team takes no one else out of it, by session or key', async () => {
  const [lead, rival, newcomer] = [await newMember(LEADS), await newMember(), await newMember()];
  const team = await teamWith(lead, rival);
  for (const client of [lead.browser, lead.http]) {
    for (const members of [[lead], [], [lead, newcomer]]) {
      const refused = await setMembers(client, team, idsOf(...members));
      expect(codeOf(refused)).toEqual(REFUSED);
      expect(refused.body['error']).toMatchObject({
        message: expect.stringContaining('through this team'),
        details: {
          grants: [
            { permission: 'agent.read', scope_kind: 'organization' },
            { permission: 'team.read', scope_kind: 'organization' },
          ],
        },
      });
    }
  }
  expect(await roster(owner, team)).toEqual(idsOf(lead, rival).sort());
});

test('they take no one out either who joins by the directory, too, or where they are in it by the directory', async () => {
  const [lead, rival] = [await newMember(LEADS), await newMember()];
  const team = await teamWith(lead, rival);
  await app.db('team_members').insert(
    [lead, rival].map(({ membershipId }) => ({
      team_id: team,
      membership_id: membershipId,
      source: 'directory',
      created_at: new Date(),
    })),
  );
  expect(codeOf(await setMembers(lead.http, team, idsOf(lead)))).toEqual(REFUSED);
});

test('they still add people to the team, and leave it themselves', async () => {
  const [lead, friend] = [await newMember(LEADS), await newMember()];
  const team = await teamWith(lead);
  expect((await setMembers(lead.http, team, idsOf(lead, friend))).status).toBe(200);
  expect((await setMembers(lead.http, team, idsOf(friend))).status).toBe(200);
  expect(await roster(owner, team)).toEqual(idsOf(friend));
});

test('rights of their own, or of another team, count', async () => {
  const rival = await newMember();
  const own = await newMember(LEADS, READS);
  const elsewhere = await newMember(LEADS);
  await teamWith(elsewhere);
  for (const lead of [own, elsewhere]) {
    const team = await teamWith(lead, rival);
    expect((await setMembers(lead.http, team, idsOf(lead))).status).toBe(200);
  }
});

test('an owner always takes people out, as a member of the team as well', async () => {
  const rival = await newMember();
  const team = await teamWith(owner, rival);
  expect((await setMembers(owner.http, team, idsOf(owner))).status).toBe(200);
  expect((await owner.http.delete(`${TEAMS}/${team}`)).status).toBe(204);
});

test('they do not archive the team, which would take everyone out of it', async () => {
  const manages: Policy = { scope_kind: 'organization', permissions: ['team.write'] };
  const [lead, rival, own] = [
    await newMember(manages),
    await newMember(),
    await newMember(manages, READS),
  ];
  const team = await teamWith(lead, rival, own);
  expect(codeOf(await lead.http.delete(`${TEAMS}/${team}`))).toEqual(REFUSED);
  expect((await own.http.delete(`${TEAMS}/${team}`)).status).toBe(204);
});
