import { expect, test } from 'vitest'
import { runTasks } from '../../ticket/session/background-tasks.ts'
import { stillClock } from './fake-platform.ts'
import { keptLog } from './kept-log.ts'

const setting = () => ({ log: keptLog(), clock: stillClock() })
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('a background task that fails is logged by its name and runs again after 5 min, while the others continue', async () => {
  const { log, clock } = setting()
  let runs = 0
  const run = async () => {
    if (++runs < 3) throw new Error('EACCES')
  }
  const other = { name: 'other', run: async () => undefined }
  const done = runTasks([{ name: 'daily check of the token', run }, other], {
    log,
    clock,
    signal: new AbortController().signal,
  })
  await turn()
  expect(log.lines).toEqual([
    ['error', 'The daily check of the token failed and is tried again in 5 min', { error: 'EACCES' }],
  ])
  await clock.advance(299_999)
  expect(runs).toBe(1)
  await clock.advance(1)
  expect(runs).toBe(2)
  await clock.advance(300_000)
  await done
  expect(runs).toBe(3)
})

test('tasks end with the session, without a line in the log', async () => {
  const { log, clock } = setting()
  const session = new AbortController()
  const run = () =>
    new Promise<void>((_resolve, reject) =>
      session.signal.addEventListener('abort', () => reject(session.signal.reason)),
    )
  const done = runTasks([{ name: 'background download', run }], { log, clock, signal: session.signal })
  session.abort()
  await done
  expect(log.lines).toEqual([])
})
