/** Secrets inside a text: what is hidden of it, and what stays. */
// cspell:disable
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SLACK_ROOM } from '../../../src/domain/notifications/slack/messages.ts';
import { excerptOf } from '../../../src/domain/requests/excerpt.ts';
import { callText } from '../../../src/domain/shown/call-text.ts';
import { withoutHidden } from '../../../src/domain/shown/concealed-source.ts';
import { CONCEALED, withoutParts } from '../../../src/domain/shown/hidden.ts';
import { DEFAULT_HIDDEN_NAMES } from '../../../src/domain/shown/hidden-names.ts';
import { secretParts } from '../../../src/domain/shown/secret-parts.ts';
import { issueToken } from '../../../src/platform/crypto/tokens.ts';
import { readSource } from '../../../src/platform/json/source-values.ts';
import { leastTimes } from './least-times.ts';

const find = secretParts(DEFAULT_HIDDEN_NAMES);
const shown = (text: string): string => withoutParts(text, find(text));

test.each([
  ['https://x/?access_token=a1&sig=b%2B2&x=1#t', 'https://x/?access_token=•••&sig=•••&x=1#t'],
  ['https://x/?X-Amz-Signature=ab&y=2', 'https://x/?X-Amz-Signature=•••&y=2'],
  ['{"password":"p","user":"ada"}', '{"password":"•••","user":"ada"}'],
  [String.raw`{\"password\":\"p\",\"n\":1}`, String.raw`{\"password\":\"•••\",\"n\":1}`],
  [String.raw`{"password":"a\"b","n":1}`, '{"password":"•••","n":1}'],
  ["{'api_key': 'p', 'n': 1}", "{'api_key': '•••', 'n': 1}"],
  ['{"tokens":["a",{"b":"}"}],"n":1}', '{"tokens":•••,"n":1}'],
  ['password=p&user=ada', 'password=•••&user=ada'],
  ['user[password]=p&user[name]=ada', 'user[password]=•••&user[name]=ada'],
  ['Authorization: Bearer abc', 'Authorization: Bearer •••'],
  ['Set-Cookie: a=b; Path=/\nAccept: c', 'Set-Cookie: •••\nAccept: c'],
  ['curl -H "Cookie: a=b; c=d" https://x', 'curl -H "Cookie: •••" https://x'],
  ["curl -H 'X-Api-Key: abc' -H 'Accept: d'", "curl -H 'X-Api-Key: •••' -H 'Accept: d'"],
  ['db --password=p -u root', 'db --password=••• -u root'],
  ['db --token p --verbose', 'db --token ••• --verbose'],
  ["run --password='x; rm -rf /' && ls", "run --password='•••' && ls"],
  ['run --password=x; rm -rf /', 'run --password=•••; rm -rf /'],
  ['PGPASSWORD=p psql -h db', 'PGPASSWORD=••• psql -h db'],
  ["ALTER USER a PASSWORD 'p'", "ALTER USER a PASSWORD '•••'"],
  ['secret: two words\nnext: 1', 'secret: •••\nnext: 1'],
  ['password = "p"', 'password = "•••"'],
  ['Server=db;Password=p;Port=1', 'Server=db;Password=•••;Port=1'],
  ['<wsse:Password>p</wsse:Password>', '<wsse:Password>•••</wsse:Password>'],
  ['API key: p', 'API key: •••'],
  ['pass\u200bword=p', 'pass\u200bword=•••'],
  ['postgres://ada:p@db:5432/x', 'postgres://ada:•••@db:5432/x'],
  ['postgres://ada:p@q@db/x?y=z@w', 'postgres://ada:•••@db/x?y=z@w'],
  ['postgres://ada:p/q@r@db/x', 'postgres://ada:•••@db/x'],
  [
    '-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nrest',
    '-----BEGIN RSA PRIVATE KEY-----•••-----END RSA PRIVATE KEY-----\nrest',
  ],
  ['-----BEGIN PRIVATE KEY-----\nMII', '-----BEGIN PRIVATE KEY-----•••'],
  [`use ${issueToken('whc').token}, please`, 'use •••, please'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_1 x', '••• x'],
  [`ghp_${'a1'.repeat(18)} xoxb-1234567890-abc`, '••• •••'],
  ['auth is Bearer 0123456789abcdefgh', 'auth is Bearer •••'],
])('%s is shown as %s', (text, expected) => {
  expect(shown(text)).toBe(expected);
});

test.each([
  'https://host:8080/a?b=c@d',
  'ssh://git@github.com/a.git',
  'ls -la /tmp && cat tokens.txt',
  'see the token bucket, and its cookies',
  'max_tokens=100',
  'curl -H "Authorization: Bearer $TOKEN" https://x',
  'db --password="$(pass show db)"',
  'db --password=$(pass show db) -x',
  'db --password=`pass show db`',
  'docker login --password-stdin registry',
  'const token = await getToken();',
  'function f(token: string) {}',
  '{"use_password":true,"token":null}',
  'password: {{ vault.db }}',
  'Namespace::Token::new(1)',
  '4111111111111111 12.50 0x1f',
])('nothing of this is hidden: %s', (text) => {
  expect(find(text)).toEqual([]);
});
test('names are those of the organization, and forms count whatever it says', () => {
  const text = 'iban=DE1 password=p postgres://a:b@c';
  const as = (names: typeof DEFAULT_HIDDEN_NAMES) => withoutParts(text, secretParts(names)(text));
  expect(as({ defaults: true, add: ['iban'] })).toBe('iban=••• password=••• postgres://a:•••@c');
  expect(as({ defaults: false, add: ['iban'] })).toBe('iban=••• password=p postgres://a:•••@c');
  expect(as({ defaults: false, add: [] })).toBe('iban=DE1 password=p postgres://a:•••@c');
});

describe('a secret in a text', () => {
  const how = { presentation: undefined, hiddenNames: DEFAULT_HIDDEN_NAMES };
  const names = { tool: 'run', agentName: 'bot', agentInstanceName: 'main' };
  const texts: ((secret: string) => string)[] = [
    (secret) => `https://x/?a=1&access_token=${secret}&b=2`,
    (secret) => `curl -H "Authorization: Bearer ${secret}" https://x`,
    (secret) => JSON.stringify({ a: [{ password: secret }], b: 1 }),
    (secret) => JSON.stringify({ body: JSON.stringify({ token: secret }) }),
    (secret) => `PGPASSWORD=${secret} psql && run --api-key ${secret}`,
    (secret) => `postgres://ada:${secret}@db/x`,
    (secret) => `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`,
    (secret) => `user=ada&client_secret=${secret}`,
  ];
  const around = fc.stringMatching(/^[A-Za-z0-9 .,]{0,300}$/);

  test('is in no message, webhook or line of a list, wherever it stands', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^Zq[A-Za-z0-9_]{6,40}$/),
        fc.constantFrom(...texts),
        fc.tuple(around, around),
        fc.boolean(),
        (secret, make, [before, after], isNested) => {
          const text = `${before} ${make(secret)} ${after}`;
          const whole = JSON.stringify(isNested ? { a: [text], n: 1 } : { text });
          const source = readSource(whole);
          const call = callText({ ...names, whole: source, context: source }, how, SLACK_ROOM);
          for (const line of [
            ...[...call.lines, ...call.notes],
            withoutHidden(whole, how).text,
            excerptOf({ start: whole, end: null, characters: whole.length }, how).text,
          ])
            expect(line).not.toContain(secret);
          expect(call.notes.join(' ')).toContain('is hidden');
          expect(withoutHidden(whole, how).text).toContain(CONCEALED);
        },
      ),
    );
  });

  test('leaves every other text as it is, digit by digit', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9 .,/_-]*$/), (text) => {
        fc.pre(!/pass|secret|token|key|auth|cookie|cred|jwt|cv[vc]|[A-Za-z0-9]{30}/i.test(text));
        const source = JSON.stringify({ text, n: '12345678901234567890.10' });
        expect(withoutHidden(source, how)).toEqual({ text: source, hidden: [] });
      }),
    );
  });

  test('makes no message whole that would not be whole if it were shown', () => {
    const isWhole = (args: object) =>
      callText(
        { ...names, whole: readSource(JSON.stringify(args)), context: undefined },
        how,
        SLACK_ROOM,
      ).isWhole;
    expect(isWhole({ command: 'run --password=hunter2' })).toBe(true);
    expect(isWhole({ command: "run --password='x; rm -rf /'" })).toBe(false);
    expect(isWhole({ command: `run --password=${'x'.repeat(600)}` })).toBe(false);
    expect(isWhole({ token: 'x' })).toBe(true);
    expect(isWhole({ token: 'x'.repeat(600) })).toBe(false);
    expect(isWhole({ token: { ids: Array(900).fill('id-1') } })).toBe(false);
  });

  test('is no word of a warning', () => {
    const whole = readSource('{"command":"run --password=p\u0430ypal"}');
    const { notes } = callText({ ...names, whole, context: whole }, how, SLACK_ROOM);
    expect(notes.join('\n')).not.toContain('p\u0430ypal');
    expect(notes.join('\n')).toContain('/command: “•••” mixes');
  });

  test('is the item after an option in a list', () => {
    const args = '{"args":["db","--password","hunter2","--token","-x","--no-cookie","a"]}';
    expect(withoutHidden(args, how)).toEqual({
      text: args.replace('hunter2', '•••'),
      hidden: ['/args/2'],
    });
  });
});

/** A text of four times the size takes about four times as long: quadratic work takes sixteen times. */
test.each([
  [
    'a=b ',
    'token=',
    'token="',
    String.raw`token=\"`,
    String.raw`token="\"`,
    '"token":[',
    '<token>',
  ],
  ['://', '://a:b', 'eyJ', 'eyJaaaaaaa.', '-----BEGIN PRIVATE KEY-----', ' ', 'bearer ', '\\', '"'],
  ['token="$(', 'token={{', 'token="{{\\"}}', 'token: ', '\ntoken: ', 'cookie: a; ', 'api key: '],
  ['--token ', '\u043f', '\u043f ', 'ghp_', 'xox', "password '", "token='\\\\", 'a\u0301', '`'],
])('no text takes long: %s …', (...parts) => {
  for (const part of parts) {
    const [short, long] = [1, 4].map((times) => part.repeat((50_000 * times) / part.length)) as [
      string,
      string,
    ];
    const [small, large] = leastTimes(
      () => find(short),
      () => find(long),
    );
    expect([part, large < 8 * Math.max(small, 15)]).toEqual([part, true]);
  }
});
