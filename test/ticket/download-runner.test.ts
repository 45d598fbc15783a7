/** The background download, with a stand-in for the download and a clock that the test advances. */
import { expect, test } from 'vitest'
import type { DownloadStatus } from '../../ticket/download-port.ts'
import { runDownload } from '../../ticket/session/download-runner.ts'
import { asClient, fakeClient } from './fake-client.ts'
import { stillClock } from './fake-platform.ts'
import { keptLog } from './kept-log.ts'

function run(download: (signal: AbortSignal) => Promise<void>, complete: () => boolean = () => false) {
  const clock = stillClock(1_000_000)
  const log = keptLog()
  const stop = new AbortController()
  const reports: DownloadStatus[] = []
  let begun = 0
  const client = asClient(fakeClient())
  const ended = runDownload(
    {
      isComplete: async () => complete(),
      download(given, signal) {
        expect(given).toBe(client)
        begun += 1
        return download(signal)
      },
    },
    client,
    {
      clock,
      log,
      signal: stop.signal,
      delays: { first: 1000, max: 300_000 },
      report: (status) => void reports.push(status),
    },
  ).catch((error: unknown) => error)
  return { clock, stop, reports, ended, lines: log.lines, begun: () => begun }
}

test('with the completion marker nothing is downloaded, and the status says that the game is installed', async () => {
  const { reports, ended, begun } = run(
    () => Promise.resolve(),
    () => true,
  )
  expect(await ended).toBeUndefined()
  expect(begun()).toBe(0)
  expect(reports).toEqual([
    { phase: 'skipped', detail: 'the game is installed', startedAt: undefined, finishedAt: undefined },
  ])
})

test('a download is reported with its times', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { clock, reports, ended } = run(() => promise)
  await clock.advance(0)
  await clock.advance(5000)
  resolve()
  expect(await ended).toBeUndefined()
  expect(reports).toEqual([
    { phase: 'running', detail: undefined, startedAt: 1_000_000, finishedAt: undefined },
    { phase: 'completed', detail: undefined, startedAt: 1_000_000, finishedAt: 1_005_000 },
  ])
})

test('a failing download is tried again after 15 to 30 s, then ever later, up to 5 min, and the log says why and when', async () => {
  const { clock, reports, lines, begun, stop, ended } = run(() => Promise.reject(new Error('no server')))
  for (const [round, wait] of [22_500, 45_000, 90_000, 180_000, 225_000, 225_000].entries()) {
    await clock.advance(0)
    expect(begun()).toBe(round + 1)
    expect(reports.at(-1)).toMatchObject({ phase: 'failed', detail: 'no server' })
    expect(lines.at(-1)).toEqual([
      'warn',
      `The download failed: no server. Next try in ${Math.ceil(wait / 1000)} s`,
    ])
    await clock.advance(wait - 1)
    expect(begun()).toBe(round + 1)
    await clock.advance(1)
  }
  stop.abort()
  expect(await ended).toMatchObject({ name: 'AbortError' })
})

test('a download that another process has completed is not started again, and its failure stays reported', async () => {
  let isComplete = false
  const { clock, reports, ended, begun } = run(
    () => Promise.reject('text'),
    () => isComplete,
  )
  await clock.advance(0)
  isComplete = true
  await clock.advance(30_000)
  expect(await ended).toBeUndefined()
  expect(begun()).toBe(1)
  expect(reports.map(({ phase, detail }) => [phase, detail])).toEqual([
    ['running', undefined],
    ['failed', 'text'],
  ])
})

test('a download that ends with its session is pending, without a line in the log', async () => {
  const { clock, stop, reports, ended, lines } = run(
    (signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('gone')))),
  )
  await clock.advance(0)
  stop.abort()
  expect(await ended).toMatchObject({ name: 'AbortError' })
  expect(reports.at(-1)).toMatchObject({ phase: 'pending', detail: 'gone', finishedAt: 1_000_000 })
  expect(lines).toEqual([])
})
