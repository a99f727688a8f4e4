// cspell:disable
import { describe, expect, test } from '@jest/globals';
import {
  isRegistered,
  redirectUriProblem,
  withParameters,
} from '../../../src/domain/oauth/redirect-uris.ts';

describe('a redirect URI', () => {
  test.each([
    'https://app.example/callback',
    'https://app.example/callback?tenant=1',
    'https://app.example',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:8080/callback',
    'http://[::1]:8080/callback',
    'http://localhost:3000/',
    'https://203.0.113.7:8443/cb',
    'com.example.app:/callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'vscode://host.mcp/done',
    'vscode-insiders://host.mcp/done',
    'claude://oauth/callback',
    'com.microsoft.example:/cb?tenant=1',
    'https://app.example/callback?coder=1&states=2&next=%3Fcode',
  ])('may be %s', (uri) => {
    expect(redirectUriProblem(uri)).toBeUndefined();
  });

  test.each([
    '',
    'callback',
    '/callback',
    '//app.example/callback',
    'http://app.example/callback',
    'http://127.0.0.1.evil.example/callback',
    'http://localhost.evil.example/',
    'http://127.0.0.2/callback',
    'http://0.0.0.0/callback',
    'https://app.example/#part',
    'https://app.example/#',
    'https://user@app.example/',
    'https://user:password@app.example/',
    'https://@app.example/',
    'https://:@app.example/',
    'http://@127.0.0.1/cb',
    'com.example.app://@callback',
    'c:/windows',
    'C:callback',
    'https://app.example/ callback',
    ' https://app.example/',
    'https://app.example\\callback',
    'https://app.example/\ncallback',
    'https://äpp.example/',
    'https://',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'java\tscript:alert(1)',
    'javascript://app.example/%0aalert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'vbscript:x',
    'blob:https://app.example/1',
    'about:blank',
    'view-source:https://app.example/',
    'filesystem:https://app.example/',
    'chrome://settings',
    'intent://scan/',
    'ftp://app.example/',
    'ws://app.example/',
    'mailto:a@app.example',
    'tel:+123',
    'SMS:+123',
    'iNtEnT://scan/#Intent;end',
    'jar:https://app.example/a.jar!/x',
    'ms-msdt:/id',
    'ms-settings:privacy',
    'search-ms:query=x',
    'microsoft-edge:https://evil.example',
    'googlechrome://evil.example',
    'moz-extension://id/page',
    'safari-extension://id/page',
    'web+app://callback',
    'ext+app:callback',
    'itms-services://?action=download-manifest',
    'content://com.example/1',
    'wss://app.example/',
    'jAvAsCrIpT://app.example/%0aalert(1)',
    'vbscript:x',
    'livescript:x',
    '\tjavascript:alert(1)',
    '\u0000javascript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'view-source:javascript:x',
    'https://app.example/cb?code=mine',
    'https://app.example/cb?a=1&state=x',
    'https://app.example/cb?iss=https://evil.example',
    'http://127.0.0.1/cb?error=x',
    'https://app.example/cb?error_description=x',
    'https://app.example/cb?%63ode=x',
    'com.example.app:/cb?state',
    `https://app.example/${'a'.repeat(2_000)}`,
    'http://127.1/cb',
    'http://127.0.0.01:3000/cb',
    'http://2130706433/cb',
    'http://0x7f.0.0.1/cb',
    'http://0x7f000001:3000/cb',
    'http://0177.0.0.1/cb',
    'http://[0:0:0:0:0:0:0:1]/cb',
    'http://LOCALHOST/cb',
    'https://127.1/cb',
    'https://2130706433/cb',
    'https:/api/v1/x',
    'https:oauth/consent',
    'http:127.0.0.1/cb',
    'http:///127.0.0.1/cb',
  ])('may not be %j', (uri) => {
    expect(redirectUriProblem(uri)).toEqual(expect.stringMatching(/^must /));
  });
});

test.each([
  ['http://127.1/cb', 'must have its address as 127.0.0.1'],
  ['https://127.1/cb', 'must have its address as 127.0.0.1'],
  [
    'http://[::ffff:127.0.0.1]/cb',
    'must be https, unless it leads to 127.0.0.1, [::1] or localhost',
  ],
  ['http://10.1/cb', 'must be https, unless it leads to 127.0.0.1, [::1] or localhost'],
])('what is said of %s leads to one that is accepted', (uri, problem) => {
  expect(redirectUriProblem(uri)).toBe(problem);
});

describe('the URI of a request', () => {
  const registered = [
    'https://app.example/callback',
    'http://127.0.0.1/callback',
    'http://localhost:3000/callback?a=1',
    'com.example.app:/callback',
  ];

  test.each([
    'https://app.example/callback',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:51004/callback',
    'http://localhost:9/callback?a=1',
    'http://localhost/callback?a=1',
    'com.example.app:/callback',
  ])('%s is registered', (uri) => {
    expect(isRegistered(uri, registered)).toBe(true);
  });

  test.each([
    'https://app.example/callback/',
    'https://app.example/callback?more=1',
    'https://app.example/Callback',
    'https://app.example/other/../callback',
    'https://app.example:443/callback',
    'https://app.example:444/callback',
    'https://APP.example/callback',
    'https://sub.app.example/callback',
    'http://app.example/callback',
    'http://127.0.0.1:51004/other',
    'http://127.0.0.1:51004/callback?more=1',
    'http://[::1]:51004/callback',
    'http://localhost/callback',
    'http://127.0.0.1:99999/callback',
    'http://127.0.0.1:80@evil.example/callback',
    'com.example.app:/callback2',
    'javascript:alert(1)',
  ])('%s is not', (uri) => {
    expect(isRegistered(uri, registered)).toBe(false);
  });

  test('that is forbidden is not registered, even where the client names it', () => {
    expect(isRegistered('javascript:alert(1)', ['javascript:alert(1)'])).toBe(false);
    const withCode = 'https://app.example/cb?code=mine';
    expect(isRegistered(withCode, [withCode])).toBe(false);
  });
});

test('parameters are added behind what is registered, and escaped', () => {
  const more = { code: 'a b&c', state: undefined };
  expect(withParameters('https://app.example/cb', more)).toBe(
    'https://app.example/cb?code=a+b%26c',
  );
  expect(withParameters('com.example:/cb?x=1', more)).toBe('com.example:/cb?x=1&code=a+b%26c');
});
