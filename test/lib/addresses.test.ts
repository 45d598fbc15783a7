import { describe, expect, test } from 'vitest'
import { addressLines } from '../../lib/address-lines.ts'
import { callerOf, ipAddress } from '../../lib/caller-address.ts'
import { hostProblem, isWrongHost, listenProblem } from '../../lib/listen-address.ts'

function started() {
  let now = 0
  const written: string[] = []
  const lines = addressLines({
    now: () => now,
    leftOut: (address, count) => void written.push(`${address}: ${count} more`),
  })
  return {
    written,
    flush: lines.flush,
    pass: (milliseconds: number) => {
      now += milliseconds
    },
    note: (address: string, times = 1) => {
      for (let count = 0; count < times; count += 1) lines.note(address, () => void written.push(address))
    },
  }
}

test('an address has one line a minute, and the number of skipped lines when the minute ends', () => {
  const { written, flush, pass, note } = started()
  note('192.0.2.1', 1000)
  note('192.0.2.2')
  pass(59_999)
  flush()
  expect(written).toEqual(['192.0.2.1', '192.0.2.2'])
  pass(1)
  flush()
  expect(written.splice(0)).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.1: 999 more'])
  note('192.0.2.1', 3)
  pass(60_000)
  note('192.0.2.1')
  expect(written).toEqual(['192.0.2.1', '192.0.2.1: 2 more', '192.0.2.1'])
})

test('skipped lines are also counted at shutdown', () => {
  const { written, flush, note } = started()
  note('192.0.2.1', 3)
  flush(true)
  expect(written).toEqual(['192.0.2.1', '192.0.2.1: 2 more'])
})

test('at most 100 addresses have their own lines in a minute; others are counted together', () => {
  const { written, flush, note } = started()
  for (let address = 0; address < 50_000; address += 1) note(`10.0.${address >> 8}.${address & 255}`)
  flush(true)
  expect(written).toHaveLength(101)
  expect(written.at(-1)).toBe('others: 49900 more')
})

const variables = { host: 'API_HOST', port: 'API_PORT' }
const failed = (code: string) => Object.assign(new Error('listen failed'), { code })

describe('an address to listen on', () => {
  test.each(['127.0.0.1', '0.0.0.0', 'localhost'])('%s is accepted', async (host) => {
    expect(await hostProblem('API_HOST', host)).toBeUndefined()
  })

  // 192.0.2.0/24 is for documentation (RFC 5737): no machine has it.
  test.each([
    ['192.0.2.1', 'not an address of this machine'],
    ['http://127.0.0.1', 'neither an IP address nor a host name'],
    ['127.0.0.1:8080', 'neither an IP address nor a host name'],
  ])('%s is refused, and the message says why and what is accepted', async (host, words) => {
    expect(await hostProblem('API_HOST', host)).toEqual({
      variable: 'API_HOST',
      problem: expect.stringMatching(new RegExp(`${words}; use an address of this machine`)),
    })
  })
})

describe('a server that cannot listen', () => {
  test('because the port needs privileges or the name does not resolve is reported', () => {
    const at = { port: 80, host: 'farm' }
    expect(listenProblem(failed('EACCES'), at, variables)).toContain('set API_PORT to 1024 or more')
    expect(listenProblem(failed('ENOTFOUND'), at, variables)).toMatch(/^API_HOST is "farm", .* resolves;/)
    expect(isWrongHost(failed('ENOTFOUND'))).toBe(true)
  })

  test('with any other error gets no explanation', () => {
    expect(listenProblem(failed('EMFILE'), { port: 80, host: undefined }, variables)).toBeUndefined()
    expect(isWrongHost(new Error('constructor'))).toBe(false)
  })
})

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
