import { expect, test } from 'vitest'
import { addressLines } from '../../lib/address-lines.ts'

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
