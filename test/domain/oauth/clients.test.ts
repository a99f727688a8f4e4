// cspell:disable
import { describe, expect, test } from '@jest/globals';
import { resembledName } from '../../../src/domain/oauth/client-names.ts';
import {
  metadataUrlProblem,
  readClientMetadata,
  readMetadataDocument,
} from '../../../src/domain/oauth/clients.ts';

const uris = ['https://app.example/callback'];
const URL_OF_CLIENT = 'https://app.example/oauth/client.json';
const document = { client_id: URL_OF_CLIENT, redirect_uris: uris, client_name: 'App' };

describe('the metadata of a client', () => {
  test('needs no more than a redirect URI, whose host is the name then', () => {
    expect(readClientMetadata({ redirect_uris: [...uris, ...uris], logo_uri: 'x' })).toEqual({
      ok: true,
      metadata: { name: 'app.example', clientUri: undefined, redirectUris: uris },
    });
    expect(readClientMetadata({ redirect_uris: ['com.example.app:/cb'] })).toMatchObject({
      metadata: { name: 'com.example.app' },
    });
  });

  test('may ask for a secret, which no client gets', () => {
    const sent = { redirect_uris: uris, token_endpoint_auth_method: 'client_secret_post' };
    expect(readClientMetadata(sent).ok).toBe(true);
  });

  test.each([
    ['', ''],
    [null, null],
  ])('may have members without a value, which are absent: %j', (client_name, empty) => {
    const sent = { redirect_uris: uris, client_name, client_uri: empty, grant_types: empty };
    expect(readClientMetadata({ ...sent, response_types: empty })).toEqual({
      ok: true,
      metadata: { name: 'app.example', clientUri: undefined, redirectUris: uris },
    });
    const more = { client_secret: empty, token_endpoint_auth_method: empty };
    expect(readMetadataDocument(URL_OF_CLIENT, { ...document, ...more }).ok).toBe(true);
  });

  test.each([
    'Countersign',
    'countersign helper',
    'Counter-Sign',
    'C0untersign',
    'Сountersign',
    'Ｃｏｕｎｔｅｒｓｉｇｎ',
    'ᴄᴏᴜɴᴛᴇʀsɪɢɴ',
    'Desk (verified)',
    'VERIFIED app',
    'Official desk assistant',
    'Fun Official',
    'Un Verified',
  ])('may not be called %s', (client_name) => {
    expect(readClientMetadata({ redirect_uris: uris, client_name })).toMatchObject({
      ok: false,
      about: 'metadata',
      problem: expect.stringMatching(/^client_name must not /),
    });
  });

  test.each(['cursor://countersign-official/cb', 'https://verified.example/cb'])(
    'may not be called by the host of %s',
    (uri) => {
      expect(readClientMetadata({ redirect_uris: [uri] })).toMatchObject({
        ok: false,
        problem: expect.stringMatching(/^client_name must be given/),
      });
    },
  );

  test('may say that it is unofficial', () => {
    const sent = { redirect_uris: uris, client_name: 'Unofficial desk app' };
    expect(readClientMetadata(sent)).toMatchObject({ ok: true });
  });

  test.each([
    ['Countersing', 'Countersign'],
    ['Countersiqn app', 'Countersign'],
    ['Claude Code', 'Claude'],
    ['Сlаudе', 'Claude'],
    ['C1aude desktop', 'Claude'],
    ['Micr0soft', 'Microsoft'],
    ['Rnicrosoft', 'Microsoft'],
    ['GitHud', 'GitHub'],
    ['Desk assistant', undefined],
    ['Slick', undefined],
    ['Приложение', undefined],
    ['', undefined],
  ])('called %s looks like %s', (name, known) => {
    expect(resembledName(name)).toBe(known);
  });

  test.each([
    ['Claude Code', 'claude.ai', undefined],
    ['Claude Code', 'api.anthropic.com', undefined],
    ['Claude Code', 'claude.ai.example.com', 'Claude'],
    ['Claude Code', 'notclaude.ai', 'Claude'],
    ['GitHub and Claude', 'github.com', 'Claude'],
    ['Countersing', 'github.com', 'Countersign'],
    ['Desk assistant', 'desk.example', undefined],
  ])('called %s, with its document at %s, looks like %s', (name, host, known) => {
    expect(resembledName(name, host)).toBe(known);
  });

  test.each([
    [{}, 'redirect_uris'],
    [{ redirect_uris: [] }, 'redirect_uris'],
    [{ redirect_uris: 'https://app.example/' }, 'redirect_uris'],
    [{ redirect_uris: [1] }, 'redirect_uris'],
    [{ redirect_uris: Array(11).fill(uris[0]) }, 'redirect_uris'],
    [{ redirect_uris: ['http://app.example/'] }, 'redirect_uris'],
    [{ redirect_uris: [...uris, 'javascript:x'] }, 'redirect_uris'],
    [{ redirect_uris: uris, client_name: ' ' }, 'metadata'],
    [{ redirect_uris: uris, client_name: 'a'.repeat(101) }, 'metadata'],
    [{ redirect_uris: uris, client_name: 'App\u202Egnp' }, 'metadata'],
    [{ redirect_uris: uris, client_name: 5 }, 'metadata'],
    [{ redirect_uris: uris, client_uri: 'javascript:x' }, 'metadata'],
    [{ redirect_uris: uris, grant_types: ['client_credentials'] }, 'metadata'],
    [{ redirect_uris: uris, response_types: ['token'] }, 'metadata'],
  ])('is refused: %j', (sent, about) => {
    expect(readClientMetadata(sent)).toEqual({ ok: false, about, problem: expect.any(String) });
  });
});

describe('a metadata document', () => {
  test('is one that names its own URL', () => {
    expect(readMetadataDocument(URL_OF_CLIENT, document)).toMatchObject({
      ok: true,
      metadata: { name: 'App' },
    });
  });

  test.each([
    [[]],
    [null],
    ['text'],
    [{ ...document, client_id: 'https://app.example/oauth/other.json' }],
    [{ ...document, client_id: undefined }],
    [{ ...document, client_secret: 'x' }],
    [{ ...document, token_endpoint_auth_method: 'private_key_jwt' }],
    [{ ...document, redirect_uris: [] }],
  ])('is refused: %j', (sent) => {
    expect(readMetadataDocument(URL_OF_CLIENT, sent).ok).toBe(false);
  });
});

describe('the URL of a client', () => {
  test.each([URL_OF_CLIENT, 'https://app.example:8443/c', 'https://app.example/c?v=2'])(
    'may be %s',
    (url) => {
      expect(metadataUrlProblem(url)).toBeUndefined();
    },
  );

  test.each([
    'http://app.example/c',
    'https://app.example',
    'https://app.example/',
    'https://app.example/c#part',
    'https://user@app.example/c',
    'https://app.example/a/../c',
    'https://app.example/a/./c',
    'https://app.example/a/%2e%2e/c',
    'https://APP.example/c',
    'https://app.example:443/c',
    'https://0x7f.1/c',
    'https://app.example/c d',
    `https://app.example/${'a'.repeat(2_000)}`,
  ])('may not be %s', (url) => {
    expect(metadataUrlProblem(url)).toEqual(expect.stringMatching(/^must /));
  });
});
