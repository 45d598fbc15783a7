/** The session of `serve`, and its background tasks. */
import { describe, expect, test } from 'vitest'
import { LogonError } from '../../ticket/errors.ts'
import { initialState } from '../../ticket/platform-port.ts'
import { asClient, fakeClient } from './fake-client.ts'
import { steamId } from './fake-platform.ts'
import { keep, lost, token, unreachable } from './opened-sessions.ts'
import { sessionWith, tokenFor } from './saved-sessions.ts'

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
  const stored = sessionWith(tokenFor(200))
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

  test('the game waits for a session, then the installed files are repaired once, and nothing is downloaded', async () => {
    let repairs = 0
    const { begun, logOn, lose, downloadStatus, clock, states, lines, close } = keep({
      download: {
        repairsAtStart: true,
        async repair() {
          repairs += 1
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
    expect(repairs).toBe(1)
    await close()
  })

  test('a failed repair lets the game start, and says why', async () => {
    const { begun, logOn, downloadStatus, clock, close } = keep({
      download: { repairsAtStart: true, repair: () => Promise.reject(new Error('no content server')) },
    })
    await begun
    await logOn()
    await clock.advance(0)
    expect(downloadStatus()).toMatchObject({ phase: 'failed', detail: 'no content server' })
    await close()
  })

  test('the game does not wait for Steam when the first logon fails', async () => {
    const { begun, fail, downloadStatus, clock, close } = keep({ download: { repairsAtStart: true } })
    await begun
    await fail(new LogonError('unreachable', 'Steam cannot be reached'))
    await clock.advance(0)
    expect(downloadStatus().phase).toBe('skipped')
    await close()
  })
})

test('a requested repair joins the running one, and needs a session', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let repairs = 0
  const { begun, logOn, repairGame, renewToken, close } = keep({
    download: {
      async repair() {
        repairs += 1
        await promise
        return { repaired: 0, downloaded: 0, unchanged: 3 }
      },
    },
  })
  await begun
  await expect(repairGame()).rejects.toMatchObject({ kind: 'not_logged_in' })
  await expect(renewToken()).rejects.toMatchObject({ kind: 'not_logged_in' })
  await logOn()
  const both = Promise.all([repairGame(), repairGame()])
  resolve()
  expect((await both).map(({ phase }) => phase)).toEqual(['completed', 'completed'])
  expect(repairs).toBe(1)
  await close()
})

test('a requested repair that fails and leaves no marker is finished by a download at once; a good one changes no status', async () => {
  let complete = true
  let repairs = 0
  const { begun, logOn, repairGame, downloadStatus, clock, close } = keep({
    download: {
      isComplete: async () => complete,
      async repair() {
        repairs += 1
        complete = repairs > 1
        if (!complete) throw new Error('no content server')
        return { repaired: 0, downloaded: 0, unchanged: 3 }
      },
      async download() {
        complete = true
      },
    },
  })
  await begun
  await logOn()
  for (const phase of ['failed', 'completed']) {
    expect((await repairGame()).phase).toBe(phase)
    await clock.advance(0)
    expect([complete, downloadStatus().phase]).toEqual([true, 'completed'])
  }
  await close()
})

test('an unexpected failure of the download or of the daily check is reported by its name', async () => {
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

test('after a failed logon the state and the log say why and when the next one comes', async () => {
  const { begun, fail, state, lines, clock, opens, close } = keep()
  await begun
  await clock.advance(100)
  await fail(unreachable)
  expect(state()).toMatchObject({ phase: 'waiting', reason: unreachable.message, retryAt: 850 })
  expect(lines).toEqual([['warn', `Not logged on: ${unreachable.message}. Next try in 1 s`]])
  await clock.advance(749)
  expect(opens).toHaveLength(1)
  await clock.advance(1)
  expect(opens).toHaveLength(2)
  expect(state()).toMatchObject({ phase: 'logging_on', retryAt: undefined })
  await fail(unreachable)
  expect(lines.at(-1)).toEqual(['warn', `Not logged on: ${unreachable.message}. Next try in 2 s`])
  await close()
})

test('a lost session is reported at once, and the log says why and when the next logon comes', async () => {
  const { begun, logOn, lose, state, states, lines, close, clock, opens } = keep()
  await begun
  await logOn()
  states.length = 0
  await lose()
  expect(states[0]).toMatchObject({ phase: 'logging_on', steamId: undefined })
  expect(state()).toMatchObject({ phase: 'waiting', reason: lost.message, session: 1 })
  expect(lines.at(-1)).toEqual(['warn', `Lost the session: ${lost.message}. Next try in 1 s`])
  await clock.advance(750)
  expect(opens).toHaveLength(2)
  await logOn()
  expect(state()).toMatchObject({ phase: 'logged_on', session: 2 })
  await close()
})

test('a session that ended before it was seen does not count', async () => {
  const { begun, logOn, states, close } = keep()
  await begun
  await logOn({ ended: AbortSignal.abort(lost), lost: Promise.resolve(lost) })
  expect(states.map(({ phase }) => phase)).toEqual(['logging_on', 'logged_on', 'logging_on', 'waiting'])
  await close()
})

test.each([
  [599_999, 1500],
  [600_000, 750],
])('after a failed logon and a session that lasted %i ms the wait is %i ms', async (lasted, wait) => {
  const { begun, fail, logOn, lose, clock, state, close } = keep()
  await begun
  await fail(unreachable)
  await clock.advance(750)
  await logOn()
  await clock.advance(lasted)
  await lose()
  expect((state().retryAt ?? 0) - clock.monotonic()).toBe(wait)
  await close()
})

test('waits grow too when each logon succeeds and its session is lost again', async () => {
  const { begun, logOn, lose, clock, state, close } = keep()
  await begun
  for (const wait of [750, 1500, 3000, 6000]) {
    await logOn()
    await lose()
    expect((state().retryAt ?? 0) - clock.monotonic()).toBe(wait)
    await clock.advance(wait)
  }
  await close()
})

const limited = new LogonError('rate_limited', 'Steam asks us to wait (RateLimitExceeded)')

test.each([true, false])(
  'after a rate limit the next logon comes after 30 min (of a session: %s)',
  async (isLost) => {
    const { begun, logOn, lose, fail, clock, state, opens, close } = keep()
    await begun
    if (isLost) {
      await logOn()
      await lose(limited)
    } else await fail(limited)
    expect(state()).toMatchObject({ phase: 'waiting', reason: limited.message, retryAt: 1_800_000 })
    for (let count = 1; count < 360; count += 1) await clock.advance(5000)
    expect(opens).toHaveLength(1)
    await clock.advance(5000)
    expect(opens).toHaveLength(2)
    await close()
  },
)

test('a login during a logon of the service ends the wait after it', async () => {
  const { begun, fail, clock, saved, opens, close } = keep()
  await begun
  opens[0]?.onToken?.(token)
  saved.session = sessionWith(tokenFor(300))
  await fail(limited)
  await clock.advance(5000)
  expect(opens).toHaveLength(2)
  await close()
})

const refused = new LogonError('rejected', 'Steam answered Expired')

test('before the first sign-in the log has a warning, not an error, after the link to the set-up', async () => {
  const { begun, fail, state, lines, close } = keep()
  await begun
  await fail(new LogonError('person_needed', 'no saved session'))
  expect(state()).toMatchObject({ phase: 'login_needed' })
  expect(lines).toEqual([['warn', expect.stringMatching(/^A person must sign in: no saved session\./)]])
  await close()
})

test('if a person must sign in, the state and the log say so, and a new saved session is tried within 5 s', async () => {
  const { begun, fail, state, lines, clock, opens, saved, logOn, close } = keep()
  await begun
  opens[0]?.onToken?.(token)
  await fail(refused)
  expect(state()).toMatchObject({ phase: 'login_needed', reason: refused.message, retryAt: undefined })
  expect(lines).toEqual([
    [
      'error',
      `A person must sign in: ${refused.message}. Run the login command; the service then continues automatically`,
    ],
  ])
  const looks = saved.looks
  await clock.advance(5000)
  await clock.advance(5000)
  expect(saved.looks).toBe(looks + 2)
  expect(opens).toHaveLength(1)
  saved.session = sessionWith(tokenFor(300))
  await clock.advance(4999)
  expect(opens).toHaveLength(1)
  await clock.advance(1)
  expect(lines.at(-1)).toEqual(['info', 'A new session was saved. Trying it now'])
  expect(opens).toHaveLength(2)
  await logOn()
  expect(state().phase).toBe('logged_on')
  await close()
})

test('without a new session the next attempt comes after 30 min, also while the file cannot be read', async () => {
  const { begun, fail, clock, opens, saved, close } = keep()
  await begun
  await fail(refused)
  saved.session = undefined
  for (let count = 1; count < 360; count += 1) await clock.advance(5000)
  expect(opens).toHaveLength(1)
  await clock.advance(5000)
  expect(opens).toHaveLength(2)
  await close()
})

test('a token that was already tried, or saved before the logon, is not a new session', async () => {
  const { begun, fail, clock, opens, saved, close } = keep()
  await begun
  const tried = tokenFor(100)
  opens[0]?.onToken?.(tried)
  await fail(refused)
  await clock.advance(5000)
  saved.session = sessionWith(tried)
  await clock.advance(5000)
  expect(opens).toHaveLength(1)
  await close()
})

test('a token that the session itself has renewed is not a new session after a loss', async () => {
  const { begun, logOn, lose, clock, opens, saved, close } = keep()
  await begun
  await logOn()
  saved.session = sessionWith(tokenFor(300))
  await lose(limited)
  await clock.advance(5000)
  await clock.advance(5000)
  expect(opens).toHaveLength(1)
  await close()
})

test('after a new session the waits start again at 1 s', async () => {
  const { begun, fail, clock, saved, state, close } = keep()
  await begun
  for (let count = 0; count < 5; count += 1) {
    await fail(unreachable)
    await clock.advance(300_000)
    await clock.advance(300_000)
  }
  await fail(refused)
  saved.session = sessionWith(tokenFor(300))
  await clock.advance(5000)
  await fail(unreachable)
  expect((state().retryAt ?? 0) - clock.monotonic()).toBe(750)
  await close()
})
