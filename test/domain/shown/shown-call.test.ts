/** What a presentation says of a call, and which values stay hidden. */
import { describe, expect, test } from '@jest/globals';
import { DEFAULT_HIDDEN_NAMES } from '../../../src/domain/shown/hidden-names.ts';
import { mainValuesOf } from '../../../src/domain/shown/main-values.ts';
import {
  shownCall,
  type ShownField,
  type ShownPresentation,
} from '../../../src/domain/shown/shown-call.ts';
import { readSource, SourceValue } from '../../../src/platform/json/source-values.ts';
import { outlineOf } from '../../../web/src/shared/exact/json/json-outline.ts';

const present = (presentation: ShownPresentation | undefined, whole: SourceValue | undefined) =>
  shownCall({ whole }, { presentation, hiddenNames: { defaults: false, add: [] } });

describe('a presentation', () => {
  const presentation = {
    title: 'Refund {/amount} of {/gone}{/id}',
    fields: [
      { path: '/amount', label: 'Amount', kind: 'money', role: 'primary' },
      { path: '/meta', label: 'Meta', kind: 'json' },
      { path: '/meta/a', label: 'A', kind: 'text' },
    ],
  };
  const shown = present(
    presentation,
    readSource('{"id":"p1","amount":1.10,"meta":{"a":1,"b":2},"hidden":[1,2]}') as SourceValue,
  );

  test('fills its title from the arguments, digit by digit', () => {
    expect(
      shown.presented?.title.map((part) => (part instanceof SourceValue ? part.source : part)),
    ).toEqual(['Refund ', '1.10', ' of ', '"p1"']);
  });

  test('names what decides: its primary fields, or else the first short value', () => {
    const whole = readSource('{"long":[1],"id":"p1","amount":1.10}');
    const named = (...of: Parameters<typeof mainValuesOf>) =>
      mainValuesOf(...of).map(({ label, value }) => `${label} ${value.source}`);
    expect(named(shown, whole)).toEqual(['Amount 1.10']);
    expect(named(present(undefined, whole), whole)).toEqual(['"id" "p1"']);
    expect(mainValuesOf(present(undefined, undefined), undefined)).toEqual([]);
  });

  describe('with a sensitive field', () => {
    const field = (path: string, of: Partial<ShownField> = {}): ShownField => ({
      ...{ path, label: path, kind: 'json' },
      ...of,
    });
    const secret = (path: string) => field(path, { role: 'sensitive' });
    const whole = readSource(
      '{"config":{"url":"u","token":"t"},"rows":[{"n":"a"},{"n":"b"}],"before":"x","after":"y","open":1}',
    ) as SourceValue;
    const call = (title: string, ...fields: ShownField[]) => present({ title, fields }, whole);
    const hiddenOf = (...fields: ShownField[]) =>
      call('', ...fields).presented?.fields.flatMap(({ isHidden, field: { path } }) =>
        isHidden ? [path] : [],
      );

    test('hides it inside another field, as in all arguments', () => {
      const shown = call('', field('/config', { role: 'primary' }), secret('/config/token'));
      expect(shown.presented?.fields.map(({ isHidden }) => isHidden)).toEqual([false, true]);
      const drawn = outlineOf(whole.at('/config') as SourceValue, shown);
      expect(drawn.parts).toEqual(['open', 'value', 'hidden', 'close']);
      expect(mainValuesOf(shown, whole).map(({ hidden }) => hidden)).toEqual([shown.hidden]);
    });

    test('hides a part of it in another field, also from the confirmation', () => {
      const fields = [field('/config/url', { role: 'primary' }), secret('/config'), field('/open')];
      expect(hiddenOf(...fields)).toEqual(['/config/url', '/config']);
      expect(mainValuesOf(call('', ...fields), whole).map(({ label }) => label)).toEqual(['/open']);
    });

    test('hides lists, tables and changes that have it', () => {
      const item = { fields: [{ path: '/n', label: 'N', kind: 'text' as const }] };
      const rows = field('/rows', { kind: 'table', item });
      expect(hiddenOf(rows, secret('/rows/0/n'))).toEqual(['/rows', '/rows/0/n']);
      const list = field('/rows', { kind: 'list' });
      expect(hiddenOf(list, secret('/rows/1'))).toEqual(['/rows', '/rows/1']);
      const change = field('/open', { kind: 'diff', before: '/before', after: '/after' });
      expect(hiddenOf(change, secret('/before'))).toEqual(['/open', '/before']);
      expect(hiddenOf(rows, list, change, secret('/config'))).toEqual(['/config']);
    });

    test('hides both sides of a sensitive change in all arguments', () => {
      const change = { kind: 'diff', before: '/before', after: '/after' } as const;
      const shown = call('', field('/open', { ...change, role: 'sensitive' }));
      expect(shown.hidden.values).toEqual(
        new Set(['/open', '/before', '/after'].map((path) => whole.at(path)?.offset)),
      );
    });

    test.each([
      ['it', '{/config/token}'],
      ['what has it', '{/config}'],
    ])('hides %s in the title', (_what, title) => {
      const shown = call(`Set ${title} {/open}`, secret('/config/token'));
      expect(
        shown.presented?.title.map((part) => (typeof part === 'string' ? part : part.kind)),
      ).toEqual(['Set ', 'hidden', ' ', 'number']);
    });
  });

  test('names the currency with the amount, whatever its role is', () => {
    const paid = present(
      {
        ...presentation,
        fields: [...presentation.fields, { path: '/currency', label: 'Unit', kind: 'text' }],
      },
      readSource('{"amount":1.10,"currency":"EUR"}') as SourceValue,
    );
    expect(mainValuesOf(paid, undefined).map(({ label }) => label)).toEqual(['Amount', 'Unit']);
  });

  test('says how many values it leaves out', () => {
    expect(shown.presented?.leftOut).toBe(3);
  });
});

describe('a value whose name is that of a secret', () => {
  const hiddenIn = (source: string, hiddenNames = DEFAULT_HIDDEN_NAMES) =>
    shownCall(
      { whole: readSource(source), context: readSource(source) },
      { presentation: undefined, hiddenNames },
    ).hiddenValues.map(({ pointer }) => pointer);

  test.each([
    'password',
    'Password',
    'PASSWORD',
    'db_password',
    'userPassword',
    'passwd',
    'passphrase',
    'secret',
    'clientSecret',
    'client-secret',
    'SecretAccessKey',
    'token',
    'accessToken',
    'accesstoken',
    'x-auth-token',
    'api_key',
    'apiKey',
    'APIKey',
    'X-Api-Key',
    'apikey',
    'Authorization',
    'Set-Cookie',
    'cookies',
    'private_key',
    'privatekey',
    'credential',
    'credentials',
    'aws.credentials',
    'password1',
    String.raw`pass\u0077ord`,
    'pass\u200bword',
    'ｐａｓｓｗｏｒｄ',
  ])('is hidden: %s', (name) => {
    expect(hiddenIn(`{"${name}":"x"}`)).toHaveLength(1);
    expect(hiddenIn(`{"a":[{"${name}":{"deep":[1]}}]}`)).toHaveLength(1);
  });

  test.each([
    'tokenizer',
    'secretary',
    'passenger',
    'key',
    'keyboard',
    'author',
    'cooking',
    'api',
    'max',
  ])('stays where the name only begins alike: %s', (name) => {
    expect(hiddenIn(`{"${name}":"x"}`)).toEqual([]);
  });

  test('stays where it can be no secret', () => {
    expect(hiddenIn('{"password":true,"token":null,"max_tokens":100,"pin_token":7}')).toEqual([
      '/pin_token',
    ]);
  });

  test('is one value, also where its parts are secrets', () => {
    expect(hiddenIn('{"a/b":[0,{"secrets":{"token":"x"},"token":["y"]}]}')).toEqual([
      '/a~1b/1/secrets',
      '/a~1b/1/token',
    ]);
  });

  test('is as the organization says', () => {
    const add = ['iban', 'account number'];
    const source = '{"customerIban":"x","accountNumber":1,"number":2,"password":"y"}';
    expect(hiddenIn(source, { defaults: true, add })).toEqual([
      '/customerIban',
      '/accountNumber',
      '/password',
    ]);
    expect(hiddenIn(source, { defaults: false, add })).toEqual(['/customerIban', '/accountNumber']);
    expect(hiddenIn(source, { defaults: false, add: [] })).toEqual([]);
  });

  test('is hidden in the context, too', () => {
    const context = readSource('{"env":{"GITHUB_TOKEN":"x"}}');
    const { hiddenInContext } = shownCall(
      { whole: readSource('{}'), context },
      { presentation: undefined, hiddenNames: DEFAULT_HIDDEN_NAMES },
    );
    expect(hiddenInContext.values).toEqual(new Set([context?.at('/env/GITHUB_TOKEN')?.offset]));
  });
});
