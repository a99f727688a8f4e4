import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import {
  clientAddresses,
  isProxyRange,
  networkOf,
} from '../../../src/platform/network/client-address.ts';

const from = (trusted: readonly string[], peer: string | undefined, forwarded?: string) =>
  clientAddresses(trusted)({
    socket: { remoteAddress: peer },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  } as unknown as IncomingMessage);

describe('the address of a client is', () => {
  test('that of the peer without trusted proxies, whatever the header says', () => {
    for (const header of [undefined, '', '203.0.113.9', '127.0.0.1, 203.0.113.9']) {
      expect(from([], '198.51.100.7', header)).toBe('198.51.100.7');
      expect(from(['10.0.0.0/8', '::1'], '198.51.100.7', header)).toBe('198.51.100.7');
    }
    expect(from([], undefined, '203.0.113.9')).toBe('');
  });

  test.each([
    ['the address that a trusted proxy received', '203.0.113.9', '203.0.113.9'],
    [
      'not the address that the client wrote before that',
      '192.0.2.66, 127.0.0.1, 10.0.0.1, 203.0.113.9',
      '203.0.113.9',
    ],
    [
      'behind several trusted proxies',
      '192.0.2.66, 203.0.113.9, 10.4.4.4, 10.0.0.2',
      '203.0.113.9',
    ],
    ['also of IPv6', '2001:db8::9, 10.0.0.2', '2001:db8::9'],
    ['without the port that some proxies add', '203.0.113.9:41234', '203.0.113.9'],
    ['without the port, in brackets', '[2001:db8::9]:41234', '2001:db8::9'],
    ['that of the proxy when the header is empty', '', '10.0.0.1'],
    ['that of the proxy when the header has no address', 'unknown', '10.0.0.1'],
    [
      'the last known address when the header continues without one',
      "192.0.2.66, '; drop table, 10.0.0.2",
      '10.0.0.2',
    ],
    ['the farthest when all are trusted', '10.9.9.9, 10.0.0.2', '10.9.9.9'],
  ])('%s', (_what, header, address) => {
    expect(from(['10.0.0.0/8'], '10.0.0.1', header)).toBe(address);
  });

  test('the one behind a proxy with the other notation of its address', () => {
    expect(from(['10.0.0.1'], '::ffff:10.0.0.1', '203.0.113.9')).toBe('203.0.113.9');
    expect(from(['fd00::/8'], 'fd00::1', '203.0.113.9')).toBe('203.0.113.9');
    expect(from(['fd00::/8'], '10.0.0.1', '203.0.113.9')).toBe('10.0.0.1');
  });
});

describe('the address of a trusted proxy', () => {
  test.each([
    '10.0.0.1',
    '10.0.0.0/8',
    '192.168.0.0/255.255.0.0',
    '::1',
    'fd00::/8',
    '2001:db8::1',
  ])('is %s', (text) => {
    expect(isProxyRange(text)).toBe(true);
  });

  test.each([
    '',
    '1',
    '10.0.0',
    '10.0.0.0/33',
    '0.0.0.0/0',
    '::/0',
    '10.0.0.0/x',
    'proxy.example',
    '*',
    '10.0.0.0/8/8',
  ])('is not %j', (text) => {
    expect(isProxyRange(text)).toBe(false);
  });
});

describe('whose sign-in attempts are counted together', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::FFFF:203.0.113.9', '203.0.113.9'],
  ])('an IPv4 address counts alone, in any notation: %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  test.each([
    ['2001:db8:1:2::1', '2001:db8:1:2'],
    ['2001:DB8:1:2:aaaa:bbbb:cccc:dddd', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['2001:db8:1::', '2001:db8:1:0'],
  ])('all IPv6 addresses of one /64 count together: %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  test('two networks never count together', () => {
    expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'));
    expect(networkOf('203.0.113.9')).not.toBe(networkOf('203.0.113.10'));
  });
});
