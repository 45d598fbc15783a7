import { expect, onTestFinished, test, vi } from 'vitest'
import { edgeLog } from '../../../runtime/edge/log.ts'

/** Levels of the lines in a log. */
function written(level: string | undefined): unknown[] {
  const lines: unknown[] = []
  const spy = vi.spyOn(console, 'log').mockImplementation((line) => lines.push(JSON.parse(line).level))
  onTestFinished(() => spy.mockRestore())
  const log = edgeLog(level)
  for (const name of ['debug', 'info', 'warn', 'error'] as const) log[name]({}, 'a line')
  return lines
}

test('LOG_LEVEL at the edge accepts the same levels as the other processes', () => {
  expect(written(undefined)).toEqual(['info', 'warn', 'error'])
  expect(written('nonsense')).toEqual(['info', 'warn', 'error'])
  expect(written('trace')).toEqual(['debug', 'info', 'warn', 'error'])
  expect(written('warn')).toEqual(['warn', 'error'])
  for (const none of ['fatal', 'silent']) expect(written(none)).toEqual([])
})

test('C1 controls and direction marks in any field of a line are escaped, and the value is the same', () => {
  const disguised = 'a\u009b2J\u202eb\u2066c\u200fd\u2028'
  const lines: string[] = []
  const spy = vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(line))
  onTestFinished(() => spy.mockRestore())
  edgeLog('info', disguised).warn({ player: disguised, deep: [{ name: disguised }] }, disguised)
  expect(lines.join('')).not.toMatch(/[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    farm: disguised,
    player: disguised,
    deep: [{ name: disguised }],
    msg: disguised,
  })
})
