import { describe, expect, test } from '@jest/globals';
import { networkOf } from '../../src/services/sign-in-attempts.ts';

describe('whose sign-in attempts are counted together', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::FFFF:203.0.113.9', '203.0.113.9'],
  ])('an IPv4 address counts alone, however it is written: %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  test.each([
    ['2001:db8:1:2::1', '2001:db8:1:2'],
    ['2001:DB8:1:2:aaaa:bbbb:cccc:dddd', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['2001:db8:1::', '2001:db8:1:0'],
  ])('all IPv6 addresses of one /64 count as one: %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  test('two networks are never taken for one', () => {
    expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'));
    expect(networkOf('203.0.113.9')).not.toBe(networkOf('203.0.113.10'));
  });
});
