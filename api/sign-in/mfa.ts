/** Second factors: an authenticator app and recovery codes. */
import { z } from 'zod';
import {
  beginTotp,
  confirmTotp,
  readMfa,
  removeMemberMfa,
  removeTotp,
  replaceRecoveryCodes,
  type Mfa,
} from '../../src/services/sign-in/mfa.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { nullableTimestamp, uuid } from '../http/schema.ts';
import { setsSessionCookie, setsSessionCookieText } from '../http/session-cookies.ts';

const mfaSchema = z
  .strictObject({
    required: z
      .boolean()
      .meta({ description: 'Whether the organization demands a second factor for what matters.' }),
    totp: z
      .strictObject({
        enrolled: z
          .boolean()
          .meta({ description: 'Whether an authenticator app is enrolled and confirmed.' }),
        confirmed_at: nullableTimestamp('When it was confirmed; null when none is.'),
      })
      .meta({ description: 'The authenticator app.' }),
    recovery_codes_left: z
      .int()
      .min(0)
      .meta({ description: 'How many recovery codes were not used yet.' }),
  })
  .meta({ id: 'Mfa', description: "The state of a person's second factor." });

function presentMfa({ required, confirmedAt, recoveryCodesLeft }: Mfa): z.input<typeof mfaSchema> {
  return {
    required,
    totp: { enrolled: confirmedAt !== null, confirmed_at: confirmedAt },
    recovery_codes_left: recoveryCodesLeft,
  };
}

const recoveryCodesSchema = z
  .strictObject({
    recovery_codes: z.array(z.string()).length(10).meta({
      description:
        'Ten codes, each for one use, shown this once. Small letters and missing hyphens do not matter.',
    }),
  })
  .meta({ id: 'RecoveryCodes', description: 'New recovery codes.' });

const recoveryCodesExample = {
  recovery_codes: [
    '7KQ2-M3XA-9R0D-ZB5T',
    'C1WF-8H6N-2PVJ-YG4E',
    '0S9R-TKQ3-M7XD-B5ZA',
    'NJ2P-V8YH-6GEW-4F1C',
    'D3X7-A0TB-K9SQ-5MRZ',
    'H6E4-1GJC-YNWV-82FP',
    'Q5MZ-B7RK-0XTD-S39A',
    'W8CF-2VYE-H4PN-G61J',
    'T9AS-X3DQ-Z5BK-M0R7',
    'P1GN-J6VH-E8YC-4W2F',
  ],
};

export const mfaEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operationId: 'getMyMfa',
    method: 'get',
    path: '/api/v1/me/mfa',
    tag: 'Account',
    summary: "The state of one's own second factor",
    auth: 'session',
    success: {
      status: 200,
      description: 'The state.',
      body: mfaSchema,
      example: {
        required: true,
        totp: { enrolled: true, confirmed_at: '2026-03-02T08:31:00.000Z' },
        recovery_codes_left: 10,
      },
    },
    errors: [],
    handler: async ({ principal }, context) => ({
      body: presentMfa(await readMfa(context, principal)),
    }),
  }),
  defineEndpoint({
    operationId: 'beginMyTotp',
    method: 'post',
    path: '/api/v1/me/mfa/totp',
    tag: 'Account',
    summary: 'Begin to enrol an authenticator app',
    description:
      'In the place of one that was begun and not confirmed. Needs a fresh session, and no second factor where the organization demands one. The app counts once it is confirmed.',
    auth: 'session',
    success: {
      status: 201,
      description: 'What the app has to know, shown this once.',
      body: z.strictObject({
        secret: z.string().meta({ description: 'The secret in base32, to be typed into the app.' }),
        uri: z
          .string()
          .meta({ description: 'The same as an `otpauth://` URI, to be shown as a QR code.' }),
      }),
      example: {
        secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
        uri: 'otpauth://totp/Countersign:ada%40example.com?issuer=Countersign&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6&period=30',
      },
    },
    errors: ['reauthentication_required', 'mfa_enrolled', 'secrets_key_missing'],
    handler: async ({ principal }, context) => ({ body: await beginTotp(context, principal) }),
  }),
  defineEndpoint({
    operationId: 'confirmMyTotp',
    method: 'post',
    path: '/api/v1/me/mfa/totp/confirm',
    tag: 'Account',
    summary: 'Confirm the authenticator app with one of its codes',
    description:
      'From then on signing in needs a second factor. The session becomes strong and fresh, with a new cookie; your other sessions end, in every organization.',
    auth: 'session',
    body: z.strictObject({
      code: z.string().min(1).max(64).meta({ description: 'The six digits the app shows.' }),
    }),
    requestExample: { code: '123456' },
    success: {
      status: 200,
      description: 'Enrolled.',
      body: recoveryCodesSchema,
      headers: setsSessionCookieText,
      example: recoveryCodesExample,
    },
    errors: [
      'invalid_credentials',
      'reauthentication_required',
      'not_found',
      'mfa_enrolled',
      'secrets_key_missing',
    ],
    handler: async ({ principal, body, cookies }, context) => {
      const { recoveryCodes, token } = await confirmTotp(context, principal, {
        code: body.code,
        presented: cookies.session,
      });
      return {
        body: { recovery_codes: recoveryCodes },
        headers: setsSessionCookie(context, token),
      };
    },
  }),
  defineEndpoint({
    operationId: 'removeMyTotp',
    method: 'delete',
    path: '/api/v1/me/mfa/totp',
    tag: 'Account',
    summary: "Remove one's authenticator app and recovery codes",
    description: 'Needs a fresh and strong session. A repeat succeeds without changing anything.',
    auth: 'session',
    success: { status: 204, description: 'Removed.' },
    errors: ['reauthentication_required', 'mfa_required'],
    handler: async ({ principal }, context) => {
      await removeTotp(context, principal);
      return {};
    },
  }),
  defineEndpoint({
    operationId: 'replaceMyRecoveryCodes',
    method: 'post',
    path: '/api/v1/me/mfa/recovery_codes',
    tag: 'Account',
    summary: 'Replace the recovery codes',
    description: 'Ten new ones; the old ones are dead. Needs a fresh and strong session.',
    auth: 'session',
    success: {
      status: 201,
      description: 'The new codes.',
      body: recoveryCodesSchema,
      example: recoveryCodesExample,
    },
    errors: ['reauthentication_required', 'mfa_required', 'not_found'],
    handler: async ({ principal }, context) => ({
      body: { recovery_codes: await replaceRecoveryCodes(context, principal) },
    }),
  }),
  defineEndpoint({
    operationId: 'removeMemberMfa',
    method: 'delete',
    path: '/api/v1/members/{id}/mfa',
    tag: 'Members',
    summary: 'Take the second factor from a member who lost it',
    description:
      "Also ends the member's sessions: he signs in with his password alone and enrols anew. An owner's only an owner takes, anybody else's only who holds all that the member holds (`grant_exceeds_own`), one's own nobody this way. Without a second factor nothing happens.",
    auth: 'session',
    permission: 'membership.write',
    params: z.strictObject({ id: uuid('The membership.') }),
    success: { status: 204, description: 'Taken.' },
    errors: [
      'reauthentication_required',
      'mfa_required',
      'self_change',
      'owner_required',
      'grant_exceeds_own',
      'membership_removed',
    ],
    handler: async ({ principal, params }, context) => {
      await removeMemberMfa(context, principal, params.id);
      return {};
    },
  }),
];
