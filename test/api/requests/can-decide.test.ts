/** Who is shown as able to decide a request decides it, and nobody else: routing view, queue and decision say one thing. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { startApp, type TestApp } from '../../support/app.ts';
import { ask, decide } from '../../support/scene/approval-requests.ts';
import {
  activatePath,
  activatePipeline,
  createAgent,
  createMember,
  createOrganization,
  createTeam,
  type Policy,
  type TestAgent,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { codeOf } from '../../support/scene/teams.ts';

const READ: Policy = { scope_kind: 'organization', permissions: ['request.read'] };
const everywhere = (...permissions: string[]): Policy => ({
  scope_kind: 'organization',
  permissions,
});
const of = (slug: string, ...permissions: string[]): Policy => ({
  scope_kind: 'agent',
  resource_ids: [slug],
  permissions,
});

const BOT = 'bot';
const OTHER = 'other-bot';

interface Holder {
  readonly holds: string;
  readonly own: readonly Policy[];
  readonly throughTeam?: readonly Policy[];
  readonly status?: string;
  /** May decide what names him, and what names somebody else only. */
  readonly named: boolean;
  readonly others: boolean;
}

const holders: readonly Holder[] = [
  { holds: 'nothing that decides', own: [], named: false, others: false },
  { holds: 'request.decide', own: [everywhere('request.decide')], named: true, others: false },
  {
    holds: 'request.decide.unrouted alone',
    own: [everywhere('request.decide.unrouted')],
    named: false,
    others: false,
  },
  {
    holds: 'both',
    own: [everywhere('request.decide', 'request.decide.unrouted')],
    named: true,
    others: true,
  },
  {
    holds: 'both for the agent',
    own: [of(BOT, 'request.decide', 'request.decide.unrouted')],
    named: true,
    others: true,
  },
  {
    holds: 'both for another agent',
    own: [of(OTHER, 'request.decide', 'request.decide.unrouted')],
    named: false,
    others: false,
  },
  {
    holds: 'request.decide for the agent, and unrouted for another',
    own: [of(BOT, 'request.decide'), of(OTHER, 'request.decide.unrouted')],
    named: true,
    others: false,
  },
  {
    holds: 'request.decide for another agent, and unrouted everywhere',
    own: [of(OTHER, 'request.decide'), everywhere('request.decide.unrouted')],
    named: false,
    others: false,
  },
  {
    holds: 'request.decide through a team, and unrouted himself',
    own: [everywhere('request.decide.unrouted')],
    throughTeam: [everywhere('request.decide')],
    named: true,
    others: true,
  },
  {
    holds: 'the organization',
    own: [{ scope_kind: 'organization', is_owner: true }],
    named: true,
    others: true,
  },
  {
    holds: 'both, but is suspended',
    own: [everywhere('request.decide', 'request.decide.unrouted')],
    status: 'suspended',
    named: false,
    others: false,
  },
];

let app: TestApp;
let organization: TestOrganization;
let bot: TestAgent;
const members = new Map<string, TestMember>();

beforeAll(async () => {
  app = await startApp();
  organization = await createOrganization(app);
  bot = await createAgent(app, organization, BOT);
  await createAgent(app, organization, OTHER);
  for (const { holds, own, throughTeam, status } of holders) {
    const member = await createMember(app, organization.id, {
      displayName: holds,
      policies: [READ, ...own],
      ...(status && { status }),
    });
    if (throughTeam)
      await createTeam(app, organization.id, { members: [member], policies: throughTeam });
    members.set(holds, member);
  }
  const users = (people: Iterable<TestMember>) =>
    [...people].map(({ membershipId }) => ({ type: 'user', id: membershipId }));
  const level = (targets: readonly object[]) => ({
    id: randomUUID(),
    type: 'level',
    targets,
    escalate_after: '10m',
  });
  await activatePath(organization.owner, {
    path_key: 'named',
    name: 'Named',
    nodes: [level(users(members.values()))],
  });
  await activatePath(organization.owner, {
    path_key: 'others',
    name: 'Others',
    nodes: [level(users([organization.owner]))],
  });
});
afterAll(() => app.close());

const askOn = async (path: string): Promise<string> => {
  await activatePipeline(organization.owner, `agents/${BOT}`, {
    blocks: [],
    default_escalation_path: path,
  });
  return await ask(app, bot);
};

function memberOf(holds: string): TestMember {
  const member = members.get(holds);
  if (!member) throw new Error('not prepared');
  return member;
}

async function listed({ browser }: TestMember, scope: string, id: string): Promise<boolean> {
  const { body } = await browser.get(`/api/v1/requests?scope=${scope}`);
  return ((body['requests'] ?? []) as unknown as { id: string }[]).some((each) => each.id === id);
}

test('the routing view says of each whom the path names what he holds now', async () => {
  const { body } = await organization.owner.http.get(
    `/api/v1/requests/${await askOn('named')}/routing`,
  );
  const targets = (body['levels']?.[0]?.['targets'] ?? []) as unknown as {
    name: string;
    members: Record<string, unknown>[];
  }[];
  const shown = targets.map(({ name, members: [each] }) => [
    name,
    each?.['can_decide'],
    each?.['notified_at'] !== undefined,
  ]);
  expect(Object.fromEntries(shown.map(([name, can]) => [name, can]))).toEqual(
    Object.fromEntries(holders.map(({ holds, named }) => [holds, named])),
  );
  expect(shown.every(([, can, notified]) => can === notified)).toBe(true);
});

test.each(holders)(
  'whoever holds $holds finds what he may decide in his queue, decides it, and nothing else',
  async (holder) => {
    const member = memberOf(holder.holds);
    for (const path of ['named', 'others'] as const) {
      const id = await askOn(path);
      expect(await listed(member, 'decidable', id)).toBe(holder[path]);
      expect(await listed(member, 'notified', id)).toBe(path === 'named' && holder.named);
      for (const client of [member.browser, member.http]) {
        const { body } = await client.get(`/api/v1/requests/${id}`);
        expect(body['id'] !== undefined).toBe(holder[path]);
      }
      const answer = await decide(member.http, id);
      expect(answer.status).toBe(holder[path] ? 200 : 403);
      const { body } = await organization.owner.http.get(`/api/v1/requests/${id}`);
      expect(body['status']).toBe(holder[path] ? 'approved' : 'pending');
    }
  },
);

test('whoever lacks request.decide hears that it is this permission he lacks', async () => {
  const answer = await decide(memberOf('request.decide.unrouted alone').http, await askOn('named'));
  expect(codeOf(answer)).toEqual({ status: 403, code: 'permission_denied' });
  const details = {
    permission: 'request.decide',
    scope_kind: 'organization',
    reason: 'missing_permission',
  };
  expect(answer.body['error']?.['details']).toEqual(details);
});
