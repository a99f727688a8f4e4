/**
 * Runs everything that issues or accepts a secret, once correctly and once wrongly, with the most
 * detailed log. Then looks for every secret, in every spelling, in all logs, answers, mails and
 * tables.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { BOOTSTRAP_SECRET } from '../../../support/app.ts';
import { foundIn, hashSpellings, randomPart, spellings } from '../../../support/secrets.ts';
import type { KnownSecret } from '../../../support/secrets.ts';
import { startIdentityProvider } from '../../../support/servers/identity-provider.ts';
import { startMailServer } from '../../../support/servers/mail-server.ts';
import { LOOPBACK_ALLOWED } from '../../../support/servers/webhook-receiver.ts';
import { enrollments, keysAndCredentials, webhookEndpoints } from './machine-secrets.ts';
import { oauthClients } from './oauth-secrets.ts';
import { secretCalls } from './secret-calls.ts';
import {
  enterAndProve,
  invitationsAndResets,
  nonsense,
  OWNER,
  secondFactor,
  singleSignOn,
} from './sign-in-secrets.ts';
import { appForFile } from '../../../support/scene.ts';

const SECRETS_KEY = randomBytes(32).toString('base64');
const SMTP_PASSWORD = 'smtp-4f1c9a7e2b6d8035';

const mail = await startMailServer({
  credentials: { user: 'countersign', password: SMTP_PASSWORD },
});
const provider = await startIdentityProvider();
const app = await appForFile({
  environment: {
    LOG_LEVEL: 'trace',
    COUNTERSIGN_EDITION: 'hosted',
    COUNTERSIGN_SECRETS_KEY: SECRETS_KEY,
    ...LOOPBACK_ALLOWED,
    SMTP_URL: mail.url,
    COUNTERSIGN_OIDC_EMAIL_DOMAINS: 'example.com',
    ...provider.environment,
  },
});
await provider.register(app.url);
const calls = secretCalls(app);
for (const [name, text] of [
  ['secrets key', SECRETS_KEY],
  ['SMTP password', SMTP_PASSWORD],
  ['client secret', provider.environment['COUNTERSIGN_OIDC_CLIENT_SECRET'] ?? ''],
  ['bootstrap secret', BOOTSTRAP_SECRET],
  ['password', OWNER.password],
] as const) {
  calls.hide(name, text);
}
const cookie = await secondFactor(calls, await enterAndProve(calls));
await keysAndCredentials(calls, cookie);
await oauthClients(calls, cookie);
await enrollments(calls, cookie);
await webhookEndpoints(calls, cookie);
await invitationsAndResets(calls, cookie, mail);
await singleSignOn(calls, provider);
await nonsense(calls, cookie);
await calls.copyTables();

afterAll(async () => {
  await Promise.all([mail.close(), provider.close()]);
});

/** Where each secret occurs in these texts, in any spelling. */
function leaks(
  texts: readonly { readonly where: string; readonly text: string }[],
  of: (secret: KnownSecret) => readonly string[],
): string[] {
  return calls.secrets.flatMap((secret) => {
    const candidates = of(secret);
    return texts.flatMap(({ where, text }) =>
      foundIn(text, candidates) === undefined ? [] : [`${secret.name} in ${where}`],
    );
  });
}

const itself = ({ text }: KnownSecret) => spellings(text);
const itsHash = ({ text }: KnownSecret) => hashSpellings(text);

describe('after everything that issues or takes a secret', () => {
  test('each issuing answer contained its secret, and each stored secret has its hash: the search can fail', () => {
    const { answers, columns, hashed, secrets } = calls;
    for (const { name, text, shownIn } of secrets.filter(
      (secret) => secret.shownIn !== undefined,
    )) {
      expect({
        name,
        shown: foundIn(answers[shownIn ?? 0]?.text ?? '', spellings(text)) !== undefined,
      }).toEqual({ name, shown: true });
    }
    const kept = columns.filter(({ forHashes }) => forHashes).map(({ text }) => text);
    for (const text of hashed)
      expect([text, foundIn(kept.join('\n'), hashSpellings(text)) !== undefined]).toEqual([
        text,
        true,
      ]);
    expect(new Set(secrets.map(({ text }) => randomPart(text))).size).toBeGreaterThan(40);
    expect(app.log.length).toBeGreaterThan(80);
  });

  test('no log line contains one, or its hash', () => {
    const lines = app.log.map((line) => ({ where: `the log: ${line.slice(0, 200)}`, text: line }));
    expect(leaks(lines, itself)).toEqual([]);
    expect(leaks(lines, itsHash)).toEqual([]);
  });

  test('only the issuing response contains one, and no response contains a hash', () => {
    const { answers, secrets } = calls;
    const places = answers.map(({ what, text }, index) => ({ where: what, text, index }));
    const elsewhere = secrets.flatMap((secret) =>
      places
        .filter(
          ({ index, text }) =>
            index !== secret.shownIn && foundIn(text, itself(secret)) !== undefined,
        )
        .map(({ where }) => `${secret.name} in ${where}`),
    );
    expect(elsewhere).toEqual([]);
    expect(leaks(places, itsHash)).toEqual([]);
  });

  test('no column of any table contains one', () => {
    const { columns } = calls;
    expect(columns.length).toBeGreaterThan(100);
    expect(
      leaks(
        columns.map(({ name, text }) => ({ where: name, text })),
        itself,
      ),
    ).toEqual([]);
  });

  test('hashes are only in columns for hashes', () => {
    const others = calls.columns
      .filter(({ forHashes }) => !forHashes)
      .map(({ name, text }) => ({ where: name, text }));
    expect(leaks(others, itsHash)).toEqual([]);
    expect(others.filter(({ text }) => text.includes('$argon2')).map(({ where }) => where)).toEqual(
      [],
    );
  });

  test('no mail contains any except its own link', () => {
    const links = new Set(['first invitation', 'invitation', 'reset link']);
    const mails = mail.mails.map(({ subject, text, headers }) => ({
      where: subject,
      text: `${JSON.stringify(headers)}\n${text}`,
    }));
    expect(mails.length).toBeGreaterThanOrEqual(3);
    expect(leaks(mails, itself).filter((leak) => !links.has(leak.split(' in ')[0] ?? ''))).toEqual(
      [],
    );
  });
});
