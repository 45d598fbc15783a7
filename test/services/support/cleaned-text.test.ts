import { expect, test } from 'vitest'
import { textForStrangers } from '../../../services/support/cleaned-text.ts'

const clean = textForStrangers({
  secrets: ['canary "secret" of the game', 'abc'],
  hosts: ['farm.example', 'game'],
  names: ['Robin', 'Abby Rose', 'Zoë', ''],
  tokenKey: 'k',
})

test.each([
  ['a secret', 'with canary "secret" of the game!', 'with …!'],
  ['a secret in JSON', String.raw`{"a":"canary \"secret\" of the game"}`, '{"a":"…"}'],
  ['a secret in an address', 'x=canary%20%22secret%22%20of%20the%20game', 'x=…'],
  ['a text too short to be a secret', 'abc', 'abc'],
  ['an address of a server', 'GET https://hooks.example/a?b=c failed', 'GET <address> failed'],
  ['an IPv4 address', 'from 203.0.113.7:4711, twice', 'from <address>:4711, twice'],
  ['an IPv6 address', 'from fe80::1 or [2001:db8::7]:80', 'from <address> or [<address>]:80'],
  ['an IPv6 address before a colon', '2001:db8::7: refused', '<address>: refused'],
  [
    'a time and a version',
    '12:34:56 SMAPI 4.1.10 for 1.6.15.24356',
    '12:34:56 SMAPI 4.1.10 for 1.6.15.24356',
  ],
  [
    'a known host, and a name inside the stack',
    'ENOTFOUND farm.example of the game',
    'ENOTFOUND <address> of the game',
  ],
  ['an e-mail', 'mail <robin.o@mail.example>, now', 'mail <<e-mail>>, now'],
  ['a named key', 'fg_0a1b2c_Secret-part', '…'],
  ['a session', 'fs_0a1b2c_Secret-part', '…'],
  ['the secret of a webhook', 'whsec_c2VjcmV0+/=', '…'],
  ['a key of another program', 'ptlc_aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1cD', '…'],
  [
    'the name of a metric',
    'farmgate_ticket_service_token_days_remaining 3',
    'farmgate_ticket_service_token_days_remaining 3',
  ],
])('%s', (_case, text, expected) => {
  expect(clean(text)).toBe(expected)
})

test('a name is the same token everywhere, in any case, and not inside of a word', () => {
  const token = clean('Robin')
  expect(token).toMatch(/^player-[0-9a-f]{8}$/)
  expect(clean('robin waves, "ROBIN" too; Robinson does not')).toBe(
    `${token} waves, "${token}" too; Robinson does not`,
  )
  expect(clean('Abby Rose and Zoë')).toMatch(/^player-[0-9a-f]{8} and player-[0-9a-f]{8}$/)
  expect(clean('Abby Rose')).not.toBe(token)
})

test('an account of Steam is a token where names are', () => {
  expect(clean('76561198000000801')).toMatch(/^player-[0-9a-f]{8}$/)
  const open = textForStrangers({ secrets: [], hosts: [], names: [], tokenKey: 'k' })
  expect(open('76561198000000801')).toBe('76561198000000801')
})

test('a log of one endless word is cleaned in linear time', () => {
  // Quadratic work would take hours, until the test's own time limit.
  for (const one of ['a', 'aA', 'f', 'x.', ':']) expect(clean(one.repeat(2_000_000))).toBeTypeOf('string')
})
