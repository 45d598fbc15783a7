import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { handOver } from '../../lib/hand-over.ts'

function waiting() {
  const clock = { now: 1_000_000 }
  return { clock, values: handOver<string>({ now: () => clock.now, lasts: 60_000, randomBytes }) }
}

test('a value is handed over once, within the time that its code lasts', () => {
  const { clock, values } = waiting()
  const [once, late] = [values.begin('once'), values.begin('late')]
  expect(once.expiresAt).toBe(1_060_000)
  expect([values.end(once.code)?.value, values.end(once.code), values.end('another')]).toEqual([
    'once',
    undefined,
    undefined,
  ])
  clock.now += 60_001
  expect(values.end(late.code)).toBeUndefined()
})

test('a value that is given back is handed over again, until its first end', () => {
  const { clock, values } = waiting()
  const { code } = values.begin('it')
  const take = () => values.end(code)
  clock.now += 60_000
  take()?.giveBack()
  const taken = take()
  expect(taken?.value).toBe('it')
  taken?.giveBack()
  clock.now += 1
  expect(take()).toBeUndefined()
})

test('of more than 1000 values the oldest is forgotten first', () => {
  const { values } = waiting()
  const codes = Array.from({ length: 1001 }, (_, at) => values.begin(`${at}`).code)
  expect(codes.map((code) => values.end(code)?.value)).toEqual([
    undefined,
    ...Array.from({ length: 1000 }, (_, at) => `${at + 1}`),
  ])
})
