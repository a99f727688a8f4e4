/** The caller's own sessions: list and end them. */
import { z } from 'zod';
import {
  endOtherSessions,
  endOwnSession,
  listOwnSessions,
  type OwnSessions,
} from '../../src/services/sign-in/sessions.ts';
import { present } from '../http/present.ts';
import { decodeCursor, encodeCursor } from '../http/cursors.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { cursorQuery, limitQuery, nextCursor, timestamp, uuid } from '../http/schema.ts';
import {
  clearsSessionCookie,
  CLEARS_SITE_DATA,
  clearsSiteDataText,
} from '../http/session-cookies.ts';

const sessionSchema = z
  .strictObject({
    id: uuid('The session.'),
    current: z.boolean().meta({ description: 'True for the session of this call.' }),
    method: z.string().meta({
      description:
        'How the person authenticated: `local_password`, `local_password_totp` or `sso`.',
    }),
    assurance: z
      .enum(['single_factor', 'strong'])
      .meta({ description: '`strong` with a second factor.' }),
    created_at: timestamp('When the person signed in.'),
    last_seen_at: timestamp('When it was last used, to the minute.'),
    authenticated_at: timestamp(
      'When the person last authenticated. The session counts as recent for a while after that.',
    ),
    expires_at: timestamp('When it ends at the latest.'),
    client_address: z
      .string()
      .nullable()
      .meta({ description: 'The network address the person signed in from; null when unknown.' }),
    user_agent: z
      .string()
      .nullable()
      .meta({ description: 'The user agent of the browser at sign-in; null when unknown.' }),
  })
  .meta({ id: 'Session', description: 'A sign-in of a person in a browser.' });

const presentSession = (session: OwnSessions['sessions'][number]) =>
  present(sessionSchema, session);

const sessionExample = {
  id: '0199a3f2-0d3e-7a55-b1c7-6f0e9d8c7b6a',
  current: true,
  method: 'local_password_totp',
  assurance: 'strong',
  created_at: '2026-03-02T08:30:00.000Z',
  last_seen_at: '2026-03-02T09:12:00.000Z',
  authenticated_at: '2026-03-02T08:30:00.000Z',
  expires_at: '2026-03-09T08:30:00.000Z',
  client_address: '203.0.113.9',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0',
};

/** Last use and id of the last session on the previous page. */
const lastSession = z.tuple([
  z.literal('sessions'),
  z.iso.datetime().transform((text) => new Date(text)),
  z.uuid(),
]);

export const sessionEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'listMySessions',
    method: 'get',
    path: '/api/v1/me/sessions',
    tag: 'Account',
    summary: 'List your sessions',
    description: "The caller's live sessions in this organization, most recently used first.",
    auth: 'session',
    query: z.strictObject({ limit: limitQuery(50), cursor: cursorQuery() }),
    success: {
      status: 200,
      description: 'The sessions.',
      body: z.strictObject({
        sessions: z
          .array(sessionSchema)
          .meta({ description: 'Live sessions, most recently used first.' }),
        next_cursor: nextCursor(),
      }),
      example: { sessions: [sessionExample] },
    },
    errors: [],
    handler: async ({ principal, query }, context) => {
      const [, lastSeenAt, id] = decodeCursor(query.cursor, lastSession) ?? [];
      const after = lastSeenAt && id ? { lastSeenAt, id } : undefined;
      const { sessions, next } = await listOwnSessions(context, principal, {
        limit: query.limit,
        after,
      });
      const cursor = next && encodeCursor(['sessions', next.lastSeenAt.toISOString(), next.id]);
      return { body: { sessions: sessions.map(presentSession), next_cursor: cursor } };
    },
  }),
  defineEndpoint({
    operationId: 'endMySession',
    method: 'delete',
    path: '/api/v1/me/sessions/{id}',
    tag: 'Account',
    summary: 'End one of your sessions',
    description:
      'Ends the session at once. Ending the current session is a sign-out: it also clears its cookie and what the browser stored. A repeat succeeds without changing anything.',
    auth: 'session',
    params: z.strictObject({ id: uuid('The session.') }),
    success: {
      status: 204,
      description: 'Ended.',
      headers: {
        'Set-Cookie': 'Clears the cookie `service_session` when its session was ended.',
        ...clearsSiteDataText,
      },
    },
    errors: [],
    handler: async ({ principal, params }, context) => {
      const current = await endOwnSession(context, principal, params.id);
      return current ? { headers: { ...clearsSessionCookie(context), ...CLEARS_SITE_DATA } } : {};
    },
  }),
  defineEndpoint({
    operationId: 'endMyOtherSessions',
    method: 'delete',
    path: '/api/v1/me/sessions',
    tag: 'Account',
    summary: 'End all your other sessions',
    description: 'Ends them at once. The session of this call continues.',
    auth: 'session',
    success: { status: 204, description: 'Ended.' },
    errors: [],
    handler: async ({ principal }, context) => {
      await endOtherSessions(context, principal);
      return {};
    },
  }),
];
