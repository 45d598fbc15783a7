/** One key: whether a text is it, and where a request has it. */
import { describe, expect, test } from 'vitest'
import { apiKeyHolder } from '../../handlers/key-holder.ts'
import { bearerKey, digestOf, keyCheck, openToAll } from '../../lib/keys.ts'

const rightKey = 'a key of sixteen or more characters'
const holder = apiKeyHolder()

describe('a key', () => {
  test('is right each time, before and after its first use', () => {
    const { required, verify } = keyCheck(digestOf(rightKey))
    expect([required, verify(rightKey), verify(rightKey), verify(rightKey)]).toEqual([
      true,
      holder,
      holder,
      holder,
    ])
  })

  test.each([
    '',
    'a',
    `${rightKey}x`,
    rightKey.slice(0, -1),
    rightKey.toUpperCase(),
    `${rightKey.slice(0, -1)}x`,
    `x${rightKey.slice(1)}`,
  ])('is wrong when it is %j, before and after the right one was used', (shown) => {
    const { verify } = keyCheck(digestOf(rightKey))
    expect([verify(shown), verify(rightKey), verify(shown)]).toEqual([undefined, holder, undefined])
  })

  test('is never right where none is set', () => {
    expect([openToAll.required, openToAll.verify(''), openToAll.verify(rightKey)]).toEqual([
      false,
      undefined,
      undefined,
    ])
  })

  test('is kept as its SHA-256', () => {
    expect(Buffer.from(digestOf('abc')).toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
  })
})

describe('the Authorization header', () => {
  test.each([
    ['Bearer secret', 'secret'],
    ['bearer secret', 'secret'],
    ['BEARER   secret  ', 'secret'],
    ['  Bearer\tsecret', 'secret'],
    ['Bearer two words', 'two words'],
  ])('%j has the key %j', (header, found) => expect(bearerKey(header)).toBe(found))

  test.each([
    undefined,
    '',
    'secret',
    'Bearer',
    'Bearer   ',
    'Basic secret',
    'XBearer secret',
    'Bearersecret',
  ])('%j has none', (header) => expect(bearerKey(header)).toBeUndefined())
})
