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
    required: z.boolean().meta({
      description: 'Whether the organization requires a second factor for sensitive operations.',
    }),
    totp: z
      .strictObject({
        enrolled: z
          .boolean()
          .meta({ description: 'Whether an authenticator app is enrolled and confirmed.' }),
        confirmed_at: nullableTimestamp('When it was confirmed; null when none is.'),
      })
      .meta({ description: 'The authenticator app.' }),
    recovery_codes_left: z.int().min(0).meta({ description: 'Number of unused recovery codes.' }),
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
        'Ten codes. Each works once, and they are shown only once. Case and hyphens do not matter.',
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
    summary: 'Get your second factor',
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
    summary: 'Start to enroll an authenticator app',
    description:
      'Replaces an app that was not confirmed yet. Requires a recently authenticated session, but never a second factor. The app works once it is confirmed.',
    auth: 'session',
    success: {
      status: 201,
      description: 'The secret for the app, shown only once.',
      body: z.strictObject({
        secret: z.string().meta({ description: 'The secret in base32, to type into the app.' }),
        uri: z
          .string()
          .meta({ description: 'The same secret as an `otpauth://` URI, to show as a QR code.' }),
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
      'Sign-in then requires a second factor. This session becomes strong and recently authenticated, with a new cookie. Your other sessions end, in every organization.',
    auth: 'session',
    body: z.strictObject({
      code: z.string().min(1).max(64).meta({ description: 'The six digits the app shows.' }),
    }),
    requestExample: { code: '123456' },
    success: {
      status: 200,
      description: 'The app is enrolled.',
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
    summary: 'Remove your authenticator app and recovery codes',
    description:
      'Requires a strong, recently authenticated session. A repeat succeeds without changing anything.',
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
    description:
      'Creates ten new codes; the old ones stop working. Requires a strong, recently authenticated session.',
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
    summary: 'Reset the second factor of a member',
    description:
      'For a member who lost it. It also ends their sessions; they then sign in with their password alone and can enroll again. Only an owner can reset an owner. For other members, the caller must hold everything the member holds (`grant_exceeds_own`). You cannot reset your own second factor here. Without a second factor nothing happens.',
    auth: 'session',
    permission: 'membership.write',
    params: z.strictObject({ id: uuid('The membership.') }),
    success: { status: 204, description: 'The second factor is removed.' },
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
