/** Named keys in the memory of a process: their holders, their expiry, and reports of their use. */
import { describe, expect, test } from 'vitest'
import { apiKeyHolder, type KeyHolder, withoutKey } from '../../handlers/key-holder.ts'
import { keyRing } from '../../lib/key-ring.ts'
import { digestOf, type NamedKey } from '../../lib/keys.ts'

const apiKey = 'the API_KEY of this test'
const textOf = (id: string) => `fg_${id}_${'s'.repeat(43)}`
const named = (id: string, more: Partial<NamedKey> = {}): NamedKey => ({
  id,
  name: `key ${id}`,
  scopes: ['chat'],
  digest: digestOf(textOf(id)),
  ...more,
})
const holderOf = (id: string): KeyHolder => ({ id, name: `key ${id}`, scopes: ['chat'], ref: `fg_${id}` })

function aRing(key: string | null = apiKey) {
  const clock = { now: 1_795_262_400_000 }
  const used: string[] = []
  const ring = keyRing({
    apiKey: key === null ? undefined : digestOf(key),
    now: () => clock.now,
    used: (id) => void used.push(id),
  })
  return { ring, clock, used }
}

describe('a named key', () => {
  test('identifies its holder each time, in addition to API_KEY', () => {
    const { ring } = aRing()
    ring.set([named('a1'), named('b2')])
    expect([
      ring.verify(textOf('a1')),
      ring.verify(textOf('a1')),
      ring.verify(textOf('b2')),
      ring.verify(apiKey),
    ]).toEqual([holderOf('a1'), holderOf('a1'), holderOf('b2'), apiKeyHolder()])
  })

  test('is wrong with the secret of another, in another form, and with an unknown id', () => {
    const { ring } = aRing()
    ring.set([named('a1'), named('b2', { digest: digestOf('fg_b2_other') })])
    for (const wrong of [
      textOf('b2'),
      textOf('c3'),
      textOf('a1').toUpperCase(),
      'fg_a1_',
      'fg_a1',
      'fg__',
      'fg_',
    ])
      expect(ring.verify(wrong)).toBeUndefined()
  })

  test('is wrong from the moment of its expiry, also when it was used before', () => {
    const { ring, clock } = aRing()
    ring.set([named('a1', { expiresAt: clock.now + 1000 })])
    const holder = ring.verify(textOf('a1'))
    clock.now += 999
    expect([ring.verify(textOf('a1')), ring.current(holderOf('a1'))]).toEqual([holder, holder])
    clock.now += 1
    expect([ring.verify(textOf('a1')), ring.current(holderOf('a1'))]).toEqual([undefined, undefined])
  })

  test('is wrong as soon as it is revoked, and its holder is no longer current', () => {
    const { ring } = aRing()
    ring.set([named('a1'), named('b2')])
    const holder = ring.verify(textOf('a1'))
    expect(holder).toEqual(holderOf('a1'))
    ring.set([named('b2')])
    expect([ring.verify(textOf('a1')), ring.current(holderOf('a1'))]).toEqual([undefined, undefined])
    expect(ring.current(holderOf('b2'))).toEqual(holderOf('b2'))
  })

  test('with changed scopes has a holder with the new ones', () => {
    const { ring } = aRing()
    ring.set([named('a1')])
    ring.set([named('a1', { scopes: ['read'] })])
    expect(ring.current(holderOf('a1'))?.scopes).toEqual(['read'])
  })

  test('can have the form of API_KEY: both are accepted', () => {
    const { ring } = aRing(textOf('a1'))
    ring.set([named('a1', { digest: digestOf('fg_a1_another') })])
    expect([ring.verify(textOf('a1')), ring.verify('fg_a1_another')]).toEqual([
      apiKeyHolder(),
      holderOf('a1'),
    ])
  })
})

test('each change is reported to the listeners until they are removed', () => {
  const { ring } = aRing()
  let changes = 0
  const forget = ring.onChange(() => {
    changes += 1
  })
  expect(ring.named).toBeUndefined()
  ring.set([])
  forget()
  ring.set([named('a1')])
  expect([changes, ring.named]).toEqual([1, [named('a1')]])
})

test('without API_KEY anyone can do everything, with any key', () => {
  const { ring } = aRing(null)
  ring.set([named('a1')])
  expect([ring.required, ring.verify(textOf('a1')), ring.current(withoutKey)]).toEqual([
    false,
    undefined,
    withoutKey,
  ])
})

describe('the use of a key', () => {
  test('is reported at once, and then once a minute', () => {
    const { ring, clock, used } = aRing()
    ring.set([named('a1'), named('b2')])
    const use = (id: string, after: number) => {
      clock.now += after
      ring.verify(textOf(id))
    }
    use('a1', 0)
    use('a1', 59_999)
    use('b2', 0)
    expect(used).toEqual(['a1', 'b2'])
    use('a1', 1)
    expect(used).toEqual(['a1', 'b2', 'a1'])
  })

  test('is reported again after the clock was set back', () => {
    const { ring, clock, used } = aRing()
    ring.set([named('a1')])
    ring.verify(textOf('a1'))
    clock.now -= 3_600_000
    ring.verify(textOf('a1'))
    expect(used).toEqual(['a1', 'a1'])
  })

  test('is not reported for API_KEY or a wrong key', () => {
    const { ring, used } = aRing()
    ring.set([named('a1')])
    ring.verify(apiKey)
    ring.verify(`${textOf('a1')}x`)
    expect(used).toEqual([])
  })
})
