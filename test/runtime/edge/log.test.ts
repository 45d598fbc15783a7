import { expect, onTestFinished, test, vi } from 'vitest'
import { edgeLog } from '../../../runtime/edge/log.ts'

/** Levels of the lines that a log writes. */
function written(level: string | undefined): unknown[] {
  const lines: unknown[] = []
  const spy = vi.spyOn(console, 'log').mockImplementation((line) => lines.push(JSON.parse(line).level))
  onTestFinished(() => spy.mockRestore())
  const log = edgeLog(level)
  for (const name of ['debug', 'info', 'warn', 'error'] as const) log[name]({}, 'a line')
  return lines
}

test('LOG_LEVEL at the edge takes every level that the other processes take', () => {
  expect(written(undefined)).toEqual(['info', 'warn', 'error'])
  expect(written('nonsense')).toEqual(['info', 'warn', 'error'])
  expect(written('trace')).toEqual(['debug', 'info', 'warn', 'error'])
  expect(written('warn')).toEqual(['warn', 'error'])
  for (const none of ['fatal', 'silent']) expect(written(none)).toEqual([])
})
