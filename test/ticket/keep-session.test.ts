/** The session of `serve`, and its background tasks. */

import { describe, expect, test } from 'vitest'
import { LogonError } from '../../ticket/errors.ts'
import { initialState } from '../../ticket/platform-port.ts'
import { asClient, fakeClient } from './fake-client.ts'
import { steamId } from './fake-platform.ts'
import { keep, sessionWith, tokenUntil } from './opened-sessions.ts'

test('the session starts with a logon, and its state names the account and the days of the token', async () => {
  const { state, begun, logOn, lines, states, close } = keep()
  expect(state()).toEqual({ ...initialState, phase: 'starting' })
  await begun
  expect(state().phase).toBe('logging_on')
  await logOn()
  expect(state()).toEqual({
    phase: 'logged_on',
    steamId,
    reason: undefined,
    retryAt: undefined,
    tokenDaysLeft: 200,
    session: 1,
  })
  expect(lines).toEqual([['info', 'Logged on to Steam']])
  expect(states.map(({ phase }) => phase)).toContain('logged_on')
  await close()
})

test('a removed listener gets nothing more', async () => {
  const { begun, onChange, logOn, close } = keep()
  const heard: string[] = []
  const remove = onChange(({ phase }) => void heard.push(phase))
  await begun
  remove()
  await logOn()
  expect(heard).toEqual(['logging_on'])
  await close()
})

test('a folder in which others can replace the session is a warning at the start', async () => {
  const { begun, lines, close } = keep({ folderProblem: 'Everyone can replace the session' })
  await begun
  expect(lines).toEqual([['warn', 'Everyone can replace the session']])
  await close()
  const other = keep()
  await other.begun
  expect(other.lines).toEqual([])
  await other.close()
})

test.each([
  [5_400_000, "The clock of this machine is 1.5 h behind Steam's. Set it right"],
  [-7_200_000, "The clock of this machine is 2.0 h ahead of Steam's. Set it right"],
])("a clock %i ms from Steam's is a warning", async (clockAhead, warning) => {
  const { begun, logOn, lines, close } = keep()
  await begun
  await logOn({ clockAhead })
  expect(lines).toContainEqual(['warn', warning])
  await close()
})

test('an unsaved session is an error in the log, and the next logon uses it', async () => {
  const { begun, logOn, lose, lines, clock, opens, close } = keep()
  await begun
  const stored = sessionWith(tokenUntil(200))
  await logOn({ saveError: new Error('ENOSPC'), stored, refreshToken: stored.refreshToken })
  expect(lines).toContainEqual([
    'error',
    'The new session could not be saved. Make SESSION_DIR writable, with room on its disk',
    { error: 'ENOSPC' },
  ])
  await lose()
  await clock.advance(750)
  expect(opens.map(({ unsaved }) => unsaved)).toEqual([undefined, stored])
  await close()
})

test('the days of the token are checked daily', async () => {
  const { begun, logOn, clock, state, close } = keep()
  await begun
  await logOn()
  await clock.advance(86_400_000)
  expect(state().tokenDaysLeft).toBe(199)
  await close()
})

const unfinished = () => new Promise<never>(() => undefined)

test('the download runs while there is a session, and its status is reported', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { begun, logOn, downloadStatus, states, clock, close } = keep({
    download: { isComplete: async () => false, download: () => promise },
  })
  expect(downloadStatus().phase).toBe('pending')
  await begun
  await logOn()
  expect(downloadStatus().phase).toBe('running')
  const reported = states.length
  resolve()
  await clock.advance(0)
  expect(downloadStatus().phase).toBe('completed')
  expect(states.length).toBe(reported + 1)
  await close()
  expect(keep().downloadStatus().phase).toBe('disabled')
})

test.each([
  [async () => true, 'skipped'],
  [async () => false, 'pending'],
  [() => Promise.reject(new Error('EIO')), 'pending'],
])('before the first logon the download is reported as complete only if it is', async (isComplete, phase) => {
  const { begun, downloadStatus, close } = keep({ download: { isComplete, download: unfinished } })
  await begun
  expect(downloadStatus().phase).toBe(phase)
  await close()
})

describe('with VALIDATE_ON_BOOT', () => {
  const files = { repaired: 1, downloaded: 0, unchanged: 2 }

  test('the game waits for a session, then the installed files are checked once, and nothing is downloaded', async () => {
    let checks = 0
    const { begun, logOn, lose, downloadStatus, clock, states, lines, close } = keep({
      download: {
        checksAtStart: true,
        async validate() {
          checks += 1
          return files
        },
      },
    })
    await begun
    expect(downloadStatus().phase).toBe('pending')
    await logOn()
    await clock.advance(0)
    expect(downloadStatus()).toMatchObject({
      phase: 'completed',
      detail: '1 repaired, 0 downloaded, 2 unchanged',
    })
    expect(states.length).toBeGreaterThan(0)
    expect(lines.join()).toContain('The game files were checked')
    await lose()
    await clock.advance(300_000)
    await logOn()
    await clock.advance(0)
    expect(checks).toBe(1)
    await close()
  })

  test('a failed check lets the game start, and says why', async () => {
    const { begun, logOn, downloadStatus, clock, close } = keep({
      download: { checksAtStart: true, validate: () => Promise.reject(new Error('no content server')) },
    })
    await begun
    await logOn()
    await clock.advance(0)
    expect(downloadStatus()).toMatchObject({ phase: 'failed', detail: 'no content server' })
    await close()
  })

  test('the game does not wait for Steam when the first logon fails', async () => {
    const { begun, fail, downloadStatus, clock, close } = keep({ download: { checksAtStart: true } })
    await begun
    await fail(new LogonError('unreachable', 'Steam cannot be reached'))
    await clock.advance(0)
    expect(downloadStatus().phase).toBe('skipped')
    await close()
  })
})

test('a requested check joins the running one, and needs a session', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let checks = 0
  const { begun, logOn, validateGame, renewToken, close } = keep({
    download: {
      async validate() {
        checks += 1
        await promise
        return { repaired: 0, downloaded: 0, unchanged: 3 }
      },
    },
  })
  await begun
  await expect(validateGame()).rejects.toMatchObject({ kind: 'not_logged_in' })
  await expect(renewToken()).rejects.toMatchObject({ kind: 'not_logged_in' })
  await logOn()
  const both = Promise.all([validateGame(), validateGame()])
  resolve()
  expect((await both).map(({ phase }) => phase)).toEqual(['completed', 'completed'])
  expect(checks).toBe(1)
  await close()
})

test('an unexpected failure of the download or of the check is reported by its name', async () => {
  const { begun, logOn, lines, close } = keep({
    download: { isComplete: () => Promise.reject(new Error('EIO')), download: unfinished },
  })
  await begun
  let calls = 0
  await logOn({
    steamNow() {
      calls += 1
      if (calls > 1) throw new Error('no clock')
      return 0
    },
  })
  expect(lines.filter(([level]) => level === 'error').toSorted()).toEqual([
    ['error', 'The background download failed and is tried again in 5 min', { error: 'EIO' }],
    ['error', 'The daily check of the token failed and is tried again in 5 min', { error: 'no clock' }],
  ])
  await close()
})

test('close ends the session and waits until its download has ended', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { begun, logOn, close, closes, clock, opens } = keep({
    download: { isComplete: async () => false, download: () => promise },
  })
  await begun
  await logOn()
  let isClosed = false
  const closed = close().then(() => {
    isClosed = true
  })
  await clock.advance(0)
  expect([closes(), isClosed]).toEqual([1, false])
  resolve()
  await closed
  await clock.advance(300_000)
  expect(opens).toHaveLength(1)
})

test('requests use the current session, and end as not logged in without one', async () => {
  const { begun, logOn, lose, requestTicket, close } = keep()
  await begun
  await expect(requestTicket()).rejects.toMatchObject({ kind: 'not_logged_in' })
  const client = fakeClient()
  client.createEncryptedAppTicket = async () => ({ encryptedAppTicket: Buffer.from('ticket') })
  await logOn({ client: asClient(client) })
  expect((await requestTicket()).bytes).toEqual(Buffer.from('ticket'))
  await lose()
  await expect(requestTicket()).rejects.toMatchObject({ kind: 'not_logged_in' })
  await close()
})
