/** The session of one command. */
import { PassThrough } from 'node:stream'
import { afterAll, beforeEach, expect, test } from 'vitest'
import type { CommandContext } from '../../ticket/command-context.ts'
import { withSession } from '../../ticket/session/command-session.ts'
import { makeSetting } from './setting.ts'

const setting = await makeSetting()
afterAll(() => setting.close())
beforeEach(() => {
  setting.lines.length = 0
})

function command(environment: Record<string, string> = {}) {
  const stop = new AbortController()
  const ask = () => expect.unreachable('a question')
  const prompter = { say: () => undefined, ask, close: () => undefined }
  const context: CommandContext = {
    ...setting.context(setting.config(environment)),
    prompter,
    signal: stop.signal,
    result: async () => undefined,
    say: () => undefined,
    flags: new Set(),
    pretty: false,
    colours: false,
    output: new PassThrough(),
    drawsBar: false,
  }
  return { context, stop }
}

const environment = () => ({ PLATFORM_REFRESH_TOKEN: setting.platform.token(setting.account) })

test('a command gets a session, which is closed after it, also when the command fails', async () => {
  const { context } = command(environment())
  const ended: AbortSignal[] = []
  const name = await withSession(context, async (session) => {
    ended.push(session.ended)
    expect(session.ended.aborted).toBe(false)
    return session.steamId
  })
  expect(name).toBe(setting.account.steamId)
  expect(setting.lines).toEqual([])
  const failed = withSession(context, async (session) => {
    ended.push(session.ended)
    throw new Error('it failed')
  })
  await expect(failed).rejects.toThrow('it failed')
  expect(ended.map(({ aborted }) => aborted)).toEqual([true, true])
})

test('an interrupt ends a command with its own reason, before and during its work', async () => {
  const before = command(environment())
  before.stop.abort(new Error('interrupted'))
  await expect(withSession(before.context, async () => undefined)).rejects.toThrow('interrupted')
  const { context, stop } = command(environment())
  const working = withSession(context, () => {
    stop.abort(new Error('interrupted'))
    return new Promise(() => undefined)
  })
  await expect(working).rejects.toThrow('interrupted')
})

test('an unsaved session is a warning, and the command continues', async () => {
  const { context } = command({
    PLATFORM_USERNAME: 'junimo',
    PLATFORM_PASSWORD: setting.account.password,
    // No folder can be made below a device.
    SESSION_DIR: '/dev/null/session',
  })
  expect(await withSession(context, async () => 'done')).toBe('done')
  expect(setting.lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      msg: 'The new session could not be saved',
      error: expect.stringContaining('ENOTDIR'),
    }),
  )
})
