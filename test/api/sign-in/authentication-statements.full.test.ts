/** What resolving a credential costs: one statement. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  authenticate,
  type PresentedCredential,
} from '../../../src/services/sign-in/authentication.ts';
import { appForFile } from '../../support/scene.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  createOrganizationKey,
  createTeam,
} from '../../support/scene/factories.ts';
import { statementsDuring } from '../../support/sql/statements.ts';

const app = await appForFile({ environment: { COUNTERSIGN_EDITION: 'hosted' } });

describe('one round trip to the database', () => {
  const reader = {
    scope_kind: 'organization',
    permissions: ['agent.read', 'organization.read'],
  } as const;

  let presented: Readonly<Record<string, PresentedCredential>>;

  beforeAll(async () => {
    const organization = await createOrganization(app);
    const member = await createMember(app, organization.id, { policies: [reader] });
    await createTeam(app, organization.id, { members: [member], policies: [reader] });
    const key = await createOrganizationKey(app, organization, [reader, reader]);
    const agent = await createAgent(app, organization);
    presented = {
      session: { kind: 'session', token: member.cookie.slice('service_session='.length) },
      'personal key': { kind: 'bearer', token: member.apiKey },
      'organization key': { kind: 'bearer', token: key.token },
      'agent credential': { kind: 'bearer', token: agent.credential },
    };
    // Recording the use is not part of the cost, so it happens before the count starts.
    const used = { last_used_at: new Date() };
    await app.db('api_keys').update(used);
    await app.db('agent_credentials').update(used);
  });

  test.each(['session', 'personal key', 'organization key', 'agent credential'])(
    'resolves the holder of a %s with all its grants',
    async (kind) => {
      const statements = await statementsDuring(app, () =>
        authenticate(app.context, presented[kind]),
      );
      expect(statements).toHaveLength(1);
    },
  );

  test.each(['session', 'personal key', 'organization key', 'agent credential'])(
    'is not even made for a %s with a wrong checksum',
    async (kind) => {
      const { kind: as, token } = presented[kind] ?? { kind: 'bearer', token: '' };
      const wrong = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;
      const statements = await statementsDuring(app, async () => {
        await expect(authenticate(app.context, { kind: as, token: wrong })).rejects.toMatchObject({
          code: 'authentication_required',
        });
      });
      expect(statements).toEqual([]);
    },
  );

  test.each(['session', 'personal key', 'organization key'])(
    'is the only cost of a call besides its own statement, with a %s',
    async (kind) => {
      const credential = presented[kind];
      if (!credential) throw new Error('no such credential');
      const headers =
        credential.kind === 'session'
          ? { cookie: `service_session=${credential.token}` }
          : { authorization: `Bearer ${credential.token}` };
      // Reading a tool is one statement.
      const statements = await statementsDuring(app, () =>
        app.http.get(`/api/v1/tool_catalog/${randomUUID()}`, { headers }),
      );
      expect(statements).toHaveLength(2);
    },
  );
});
