import { expect, test, vi } from 'vitest'
import { gameFilter } from '../../../ticket/depot/plan/filter.ts'
import { summaryText } from '../../../ticket/depot/report/outcome-text.ts'
import { outputProgress } from '../../../ticket/depot/report/progress-output.ts'
import { transferRate } from '../../../ticket/depot/report/transfer-rate.ts'
import { duration, size } from '../../../ticket/depot/sizes.ts'
import { batchedProgress } from '../../../ticket/depot/thread/batched-progress.ts'
import { farm } from './farm.ts'
import { gameDepot } from './games.ts'

function watched(isTTY: boolean, columns = 100) {
  vi.useFakeTimers()
  let text = ''
  let time = 0
  const write = (piece: string): void => {
    text += piece
  }
  const output = { isTTY, columns, write }
  const progress = outputProgress(output, () => time)
  const pass = (milliseconds: number, bytes: number): void => {
    for (let step = 0; step < 10; step++) {
      time += milliseconds / 10
      progress.advance(bytes / 10)
      vi.advanceTimersByTime(milliseconds / 10)
    }
  }
  return { progress, pass, text: () => text }
}

test('a terminal shows a bar with bytes, rate, remaining time and the current phase', () => {
  const { progress, pass, text } = watched(true)
  progress.phase('downloading', 600e6)
  pass(5000, 150e6)
  const last = text().split('\r').at(-1) ?? ''
  expect(last).toContain('[######------------------] downloading')
  expect(last).toContain('downloading 150.0 MB of 600.0 MB (25 %), 30.0 MB/s, 15 s left')
  progress.say('the plan')
  expect(text().endsWith('\r\u001b[Kthe plan\n')).toBe(true)
  progress.end()
  const before = text()
  vi.advanceTimersByTime(1000)
  expect(text()).toBe(before)
  vi.useRealTimers()
})

test.each([
  [100, '[######------------------] downloading 450.0 MB of 1.8 GB (25 %), 90.0 MB/s, 15 s left'],
  [80, '[####-------------] downloading 450.0 MB of 1.8 GB (25 %), 90.0 MB/s, 15 s left'],
  // A terminal that does not know its width reports 0.
  [0, '[####-------------] downloading 450.0 MB of 1.8 GB (25 %), 90.0 MB/s, 15 s left'],
  [60, 'downloading 450.0 MB of 1.8 GB (25 %), 90.0 MB/s, 15 s left'],
  [40, 'downloading 25 %, 90.0 MB/s, 15 s left'],
  [30, 'downloading 25 %, 15 s left'],
  [20, '[###---------] 25 %'],
  [10, '25 %'],
])('the bar fits in one line, also on a narrow terminal: %i columns', (columns, expected) => {
  const { progress, pass, text } = watched(true, columns)
  progress.phase('downloading', 1800e6)
  pass(5000, 450e6)
  const lines = text()
    .split('\r')
    .map((line) => line.replace('\u001b[K', ''))
  progress.end()
  vi.useRealTimers()
  for (const line of lines) expect(line.length).toBeLessThan(columns || 80)
  expect(lines.at(-1)).toBe(expected)
})

test('without a terminal a line is written every 10 s', () => {
  const { progress, pass, text } = watched(false)
  progress.phase('downloading', 600e6)
  pass(35_000, 350e6)
  progress.end()
  vi.useRealTimers()
  const lines = text().trimEnd().split('\n')
  expect(lines).toHaveLength(3)
  expect(lines.at(-1)).toMatch(/^downloading \d+\.0 MB of 600\.0 MB \(\d+ %\), 10\.0 MB\/s, \d+ s left$/)
  expect(text()).not.toContain('\u001b')
})

test('the rate is calculated from monotonic time, and is not shown while no time has passed', () => {
  const meter = transferRate(() => 5)
  meter.start('downloading', 100)
  meter.add(50)
  expect(meter.line()).toBe('downloading 50 B of 100 B (50 %)')
})

test('the summary says how much was kept, excluded, repaired, deleted and saved', async () => {
  const { download } = await farm(gameDepot())
  const text = summaryText(await download({ filter: gameFilter(new Set(), []) }))
  expect(text).toMatch(/kept 0, fetched 12, repaired 0, deleted 0/)
  expect(text).toMatch(
    /left out [\d.]+ kB; [\d.]+ kB came over the network \([\d.]+ [kM]B\/s\), [\d.]+ kB saved/,
  )
  const again = await download({ filter: gameFilter(new Set(), []) })
  expect(summaryText(again)).toMatch(/0 changed, 13 files right/)
})

test('sizes and times are written in readable units', () => {
  expect([0, 999, 1000, 370e6, 1.5e9, 999_999_999].map(size)).toEqual([
    '0 B',
    '999 B',
    '1.0 kB',
    '370.0 MB',
    '1.5 GB',
    '1.0 GB',
  ])
  expect([0, 45, 185, 3725].map(duration)).toEqual(['0 s', '45 s', '3 min 05 s', '1 h 02 min'])
})

test('for thousands of chunks progress is reported ten times a second, and every byte is counted', () => {
  vi.useFakeTimers()
  try {
    const reported: unknown[][] = []
    const note =
      (name: string) =>
      (...args: unknown[]) =>
        void reported.push([name, ...args])
    const progress = batchedProgress({
      phase: note('phase'),
      advance: note('advance'),
      say: note('say'),
      warn: note('warn'),
      end: note('end'),
    })
    progress.phase('downloading', 10_000)
    for (let count = 0; count < 5000; count++) progress.advance(1)
    expect(reported).toEqual([['phase', 'downloading', 10_000]])
    vi.advanceTimersByTime(1000)
    expect(reported.slice(1)).toEqual([['advance', 5000]])
    progress.advance(7)
    progress.end()
    expect(reported.slice(2)).toEqual([['advance', 7], ['end']])
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})
