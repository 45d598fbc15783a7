import { describe, expect, test } from 'vitest'
import { callerOf, ipAddress } from '../../lib/caller-address.ts'

describe('an address has one spelling', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:4711', '192.0.2.1'],
    ['[192.0.2.1]:80', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:C000:0201', '192.0.2.1'],
    ['[::ffff:192.0.2.1]:4711', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['2001:0DB8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::1', '::1'],
  ])('%s', (text, address) => {
    expect(ipAddress(text)).toBe(address)
  })

  test.each([
    '',
    'unknown',
    '_hidden',
    '192.0.2.1.example',
    '192.0.2',
    '192.0.2.256',
    '192.0.2.01',
    '192.0.2.1:',
    '192.0.2.1:123456',
    '192.0.2.1 192.0.2.2',
    '[2001:db8::1',
    '2001:db8::1]',
    '[2001:db8::1]x',
    '2001:db8::g',
    ':::',
    '[]:80',
  ])('%s is not an address', (text) => {
    expect(ipAddress(text)).toBeUndefined()
  })
})

describe('one caller', () => {
  test.each([
    ['2001:db8:1:2::1', '2001:DB8:1:2:ffff::9'],
    ['2001:db8:1:2::1', '2001:0db8:0001:0002:0:0:0:7'],
    ['2001:db8:1:2::1', '[2001:db8:1:2::8]:4711'],
    ['2001:db8::1', '2001:db8:0:0::ffff'],
    ['192.0.2.1', '::ffff:192.0.2.1'],
    ['192.0.2.1', '192.0.2.1:80'],
    ['fe80::1%eth0', 'fe80::2%eth1'],
  ])('%s and %s', (one, other) => {
    expect(callerOf(one)).toBe(callerOf(other))
  })

  test.each([
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['192.0.2.1', '192.0.2.2'],
    ['::1', '::ffff:127.0.0.1'],
  ])('is not %s and %s', (one, other) => {
    expect(callerOf(one)).not.toBe(callerOf(other))
  })
})
