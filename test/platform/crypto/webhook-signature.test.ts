/** Signatures of outgoing webhooks, verified by a standard library and by hand. */
import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import {
  newSigningSecret,
  signatureHeaders,
  standardHeaders,
} from '../../../src/platform/crypto/webhook-signature.ts';

const message = (at = new Date()) => ({
  id: '0198f3a2-5b1c-7c3e-9d58-1f2a3b4c5d6e',
  at,
  body: '{"amount":1.0,"name":"é"}',
});

describe('a signed webhook', () => {
  test('is verified by the library of Standard Webhooks', () => {
    const secret = newSigningSecret();
    const { body, ...rest } = message();
    const verified = new Webhook(secret).verify(
      body,
      signatureHeaders([secret], { ...rest, body }),
    );
    expect(verified).toEqual({ amount: 1, name: 'é' });
  });

  test('is refused with another body, another id, another secret, or after five minutes', () => {
    const secret = newSigningSecret();
    const { body } = message();
    const headers = signatureHeaders([secret], message());
    const library = new Webhook(secret);
    const old = signatureHeaders([secret], message(new Date(Date.now() - 301_000)));
    expect(() => library.verify(`${body} `, headers)).toThrow(WebhookVerificationError);
    expect(() => library.verify(body, { ...headers, 'webhook-id': 'another' })).toThrow(
      WebhookVerificationError,
    );
    expect(() => new Webhook(newSigningSecret()).verify(body, headers)).toThrow(
      WebhookVerificationError,
    );
    expect(() => library.verify(body, old)).toThrow(WebhookVerificationError);
  });

  test('has the signature that AAP publishes for its example', () => {
    const id = 'f4b96ac4-404d-4f6a-9a03-a0565edc4922';
    const event = {
      id,
      type: 'request.resolved',
      instance_id: 'b29a43a7-1949-4b9f-9d61-b7ae66f85d31',
      request_id: '7ab8c8ec-7b2d-4fd6-9b52-752f9515eb71',
      created_at: '2026-09-16T12:02:00Z',
    };
    const secret = `whsec_${Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64')}`;
    const at = new Date('2026-09-16T12:02:01Z');
    expect(standardHeaders([secret], { id, at, body: JSON.stringify(event, null, 2) })).toEqual({
      'webhook-id': id,
      'webhook-timestamp': '1789560121',
      'webhook-signature': 'v1,zgT2qt+QiEEonu9tmZqEuKzoa83SGE9ZcCgUHzqSPZ8=',
    });
  });

  test('carries a Service-Signature of seconds, a dot and the body, in hex', () => {
    const secret = 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=';
    const headers = signatureHeaders([secret], {
      id: 'id',
      at: new Date('2026-11-21T17:30:00.999Z'),
      body: '{}',
    });
    const hmac = createHmac('sha256', '01234567890123456789012345678901')
      .update('1795282200.{}')
      .digest('hex');
    expect(headers['service-signature']).toBe(`t=1795282200,v1=${hmac}`);
    expect(headers['webhook-timestamp']).toBe('1795282200');
  });

  test('has a secret of 32 random bytes, a different one each time', () => {
    const secrets = Array.from({ length: 50 }, newSigningSecret);
    expect(new Set(secrets).size).toBe(50);
    for (const secret of secrets)
      expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
  });

  test.each(['', 'whsec_', 'whsec_AAAA', 'MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE='])(
    'is never signed with %j',
    (secret) => {
      expect(() => signatureHeaders([secret], message())).toThrow('not a signing secret');
    },
  );
});
