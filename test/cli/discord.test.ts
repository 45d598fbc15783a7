/** `farmgate discord` against a real server and a stand-in for Discord's API. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedServer } from '../contract/shared-server.ts'
import { botToken, type DiscordApi, discordApi, rateLimited, refused } from '../discord/discord-api.ts'
import { discordKey, newId, sendCommand } from '../discord/signed.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { at, newFolder, run } from './farmgate.ts'
import { answering } from './faulty.ts'

describe('the Discord servers of a farm', () => {
  const server = sharedServer(() =>
    nodeServer({ discord: { publicKey: discordKey, apiUrl: 'http://127.0.0.1:1' } }),
  )
  const command = (...args: string[]) => run(['discord', ...args], at(server()))

  test('a Discord server is bound by a code, listed, given roles and removed', async () => {
    const guild = newId()
    const made = await command('code')
    expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^[0-9a-f]{20}\n$/)])
    const code = made.stdout.trim()
    expect(made.stderr).toContain(`In Discord: /farm bind code:${code}\n`)
    await sendCommand(server(), 'bind', { guild, permissions: '32', given: { code } })
    expect((await command()).stdout).toMatch(new RegExp(`^${guild} +\\S+Z +all may look$`, 'm'))
    expect((await command('roles', guild, '700=control,chat', '701=chat')).stdout).toBe(
      `The roles of Discord server ${guild} are set\n`,
    )
    expect((await command()).stdout).toContain('700=chat,control 701=chat')
    expect((await command('remove', guild)).code).toBe(2)
    expect((await command('remove', guild, '--yes')).stdout).toBe(
      `Discord server ${guild} is no longer bound\n`,
    )
    expect((await command('remove', guild, '--yes')).code).toBe(4)
    expect((await command('roles', guild)).code).toBe(4)
  })

  test('a role with another scope, or without one, is wrong usage', async () => {
    for (const role of ['700=admin', '700=', '700', 'Mods=chat'])
      expect(await command('roles', '1', role)).toMatchObject({ code: 2, stdout: '' })
  })

  test('in a fleet the line to type in Discord names the farm', async () => {
    const url = await answering({
      '/farms/meadow/discord/codes': { body: { code: 'abc', expiresAt: '2026-11-21T12:15:00.000Z' } },
    })
    const { stderr } = await run(['discord', 'code'], { FARMGATE_URL: `${url}/farms/meadow` })
    expect(stderr).toContain('In Discord: /farm bind code:abc farm:meadow\n')
  })
})

describe('farmgate discord register', () => {
  let api: DiscordApi
  beforeAll(async () => {
    api = await discordApi()
  })
  afterAll(() => api.stop())
  const register = (args: readonly string[] = [], token = botToken, input = '') =>
    run(
      ['discord', 'register', ...args],
      { DISCORD_API_URL: api.url, ...(token !== '' && { DISCORD_BOT_TOKEN: token }) },
      input,
    )
  const since = async (act: () => Promise<unknown>) => {
    const before = api.requests.length
    await act()
    return api.requests.slice(before)
  }

  test('registers /farm for all servers of the application, and prints the public key', async () => {
    const [, put] = await since(async () => {
      expect(await register()).toEqual({
        code: 0,
        stdout: '/farm is registered for the application Farm.\n',
        stderr: `Its public key: DISCORD_PUBLIC_KEY=${'ab'.repeat(32)}\n`,
      })
    })
    expect(put).toMatchObject({
      method: 'POST',
      path: '/api/v10/applications/845027738276462632/commands',
      authorization: `Bot ${botToken}`,
      body: { name: 'farm', contexts: [0], options: expect.any(Array) },
    })
  })

  test('--server registers it in one Discord server', async () => {
    const [, put] = await since(() => register(['--server', '2909']))
    expect(put?.path).toBe('/api/v10/applications/845027738276462632/guilds/2909/commands')
    expect(put?.body).not.toHaveProperty('contexts')
    expect((await register(['--server', 'mine'])).code).toBe(2)
  })

  test('the token comes from a file that DISCORD_BOT_TOKEN_FILE names, or from the input', async () => {
    const file = join(newFolder(), 'token')
    writeFileSync(file, `${botToken}\n`, { mode: 0o600 })
    const fromFile = await run(['discord', 'register'], {
      DISCORD_API_URL: api.url,
      DISCORD_BOT_TOKEN_FILE: file,
    })
    expect(fromFile.code).toBe(0)
    expect((await register([], '', `${botToken}\n`)).code).toBe(0)
    expect((await register([], '', '\n')).code).toBe(2)
  })

  test.each([
    ['a wrong token', 3, 'Discord does not accept the token', () => undefined, 'canary-of-another-bot'],
    [
      'a rate limit',
      3,
      'takes no more requests for 65 s',
      () => api.answersNext(rateLimited(64.57)),
      botToken,
    ],
    [
      'an application that is not installed',
      3,
      'Missing Access',
      () => api.answersNext(refused(403, 'Missing Access')),
      botToken,
    ],
    ['a fault of Discord', 5, 'Discord has a fault', () => api.answersNext(refused(502, 'no')), botToken],
  ])('%s ends with %i and says so, without the token', async (_, code, sentence, prepare, token) => {
    prepare()
    const finished = await register([], token)
    expect(finished).toEqual({ code, stdout: '', stderr: expect.stringContaining(sentence) })
    expect(finished.stderr).not.toContain('canary')
  })

  test('an unreachable Discord ends it with 5', async () => {
    const finished = await run(['discord', 'register'], {
      DISCORD_API_URL: 'http://127.0.0.1:1/api/v10',
      DISCORD_BOT_TOKEN: botToken,
    })
    expect(finished).toMatchObject({ code: 5, stderr: expect.stringContaining('DISCORD_API_URL') })
  })
})
