import { expect, test } from 'vitest'
import { daysLeft, readToken } from '../../ticket/session/token.ts'
import { makeToken } from '../platform/accounts.ts'

const payload = (claims: object) => `a.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c`
const good = { sub: '76561198000000001', aud: ['client', 'web', 'derive'], exp: 2_000_000_000, iat: 0 }

test('the account and the expiry are read from a refresh token', () => {
  expect(readToken(makeToken(good)).claims).toEqual({ steamId: good.sub, expiresAt: 2_000_000_000_000 })
})

test('a token without an expiry has none', () => {
  expect(readToken(payload({ iss: 'steam', sub: good.sub, aud: good.aud })).claims).toEqual({
    steamId: good.sub,
    expiresAt: undefined,
  })
})

test.each([
  ['an access token', { iss: 'r:0012_25F', sub: good.sub, aud: good.aud }, /not a refresh token/],
  ['text before the account', { iss: 'steam', sub: `x${good.sub}`, aud: good.aud }, /no account/],
  ['text behind the account', { iss: 'steam', sub: `${good.sub}x`, aud: good.aud }, /no account/],
  ['no audience', { iss: 'steam', sub: good.sub }, /not a token/],
  ['an expiry that is not a number', { iss: 'steam', sub: good.sub, aud: good.aud, exp: '1' }, /not a token/],
])('a token is refused with a reason: %s', (_, claims, problem) => {
  expect(readToken(payload(claims)).problem).toMatch(problem)
})

test('a token has exactly three parts', () => {
  const token = makeToken(good)
  expect(readToken(token.split('.').slice(0, 2).join('.')).problem).toBe('it is not a token')
  expect(readToken(`${token}.x`).problem).toBe('it is not a token')
})

test('a token that would crash the Steam library is refused with a reason', () => {
  expect(readToken(makeToken({ ...good, aud: ['client'] })).problem).toMatch(/not a refresh token/)
  expect(readToken(makeToken({ ...good, aud: ['web', 'derive'] })).problem).toMatch(/not for the client/)
  expect(readToken(makeToken({ ...good, sub: 'nobody' })).problem).toMatch(/no account/)
  for (const nonsense of [
    '',
    'a.b',
    'a.b.c',
    'a.e30.c',
    '..',
    `a.${Buffer.from('[]').toString('base64url')}.c`,
  ]) {
    expect(readToken(nonsense).problem, nonsense).toMatch(/^it /)
  }
})

test('remaining days are whole numbers, and negative after the expiry', () => {
  expect(daysLeft(10 * 86_400_000, 0)).toBe(10)
  expect(daysLeft(86_400_000 - 1, 0)).toBe(0)
  expect(daysLeft(0, 1)).toBe(-1)
  expect(daysLeft(undefined, 0)).toBeUndefined()
})
