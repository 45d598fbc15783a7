/** Discord commands: who can use which, and the answers. */
import { expect, test } from 'vitest'
import {
  type Command,
  commandBody,
  newId,
  nowInSeconds,
  sendCommand,
  sendSigned,
} from '../../discord/signed.ts'
import { eventually } from '../../wait.ts'
import { ask, askWithKey, expectProblem } from '../request.ts'
import type { RuntimeUnderTest, ServerUnderTest } from '../server-under-test.ts'
import { boundGuild, helper, manageGuild, privately, publicly } from './discord-guild.ts'

export function discordCommands(server: () => ServerUnderTest, origin: RuntimeUnderTest['origin']): void {
  const audited = async (action: string) => {
    const page = await askWithKey(server(), 'GET', `/audit?action=${action}&limit=1`)
    return (page.json as { readonly entries: readonly object[] }).entries[0]
  }

  test('an unbound server is answered how to bind it, and learns nothing of the farm', async () => {
    for (const name of ['status', 'players', 'invite', 'time'])
      expect(privately(await sendCommand(server(), name, { guild: '1' }))).toContain('is not bound')
  })

  test('a direct message is answered that commands work in a server', async () => {
    const { guild_id: _guild, member, ...body } = JSON.parse(commandBody('status', { guild: '1' }))
    const direct = JSON.stringify({ ...body, user: member.user })
    expect(privately(await sendSigned(server(), direct))).toContain('only in a Discord server')
  })

  test('only a right code binds, once, and only from members who can manage the server', async () => {
    const guild = newId()
    const made = await askWithKey(server(), 'POST', '/discord/codes')
    expect(made.status).toBe(201)
    const { code } = made.json as { readonly code: string }
    const bind = (command: Partial<Command> = {}) =>
      sendCommand(server(), 'bind', { guild, permissions: manageGuild, given: { code }, ...command })
    expect(privately(await bind({ permissions: '2048' }))).toContain('may manage this Discord server')
    expect(privately(await bind({ given: { code: '0'.repeat(20) } }))).toContain('wrong, was used')
    expect(privately(await bind({ given: {} }))).toContain('wrong, was used')
    expect(privately(await sendCommand(server(), 'status', { guild }))).toContain('is not bound')
    expect(privately(await bind({ permissions: '8' }))).toContain('is bound to the farm')
    expect(await audited('bindDiscordServer')).toMatchObject({
      origin,
      key: { id: 'discord_53908232506183680', name: 'mason' },
      parameters: { serverId: guild },
      outcome: 'done',
    })
    expect(privately(await bind({ guild: newId() }))).toContain('wrong, was used')
    expect(publicly(await sendCommand(server(), 'status', { guild }))).toContain('players are on it')
    const { json } = await askWithKey(server(), 'GET', '/discord/servers')
    expect(json).toMatchObject({
      isSetUp: true,
      servers: expect.arrayContaining([{ id: guild, boundAt: expect.stringMatching(/Z$/), roles: [] }]),
    })
  })

  test('a server that was unbound can do nothing', async () => {
    const guild = await boundGuild(server())
    const ended = await askWithKey(server(), 'DELETE', `/discord/servers?id=${guild}`)
    expect(ended.json).toEqual({ success: true, message: `Discord server ${guild} is no longer bound` })
    expect(privately(await sendCommand(server(), 'players', { guild, roles: [helper] }))).toContain(
      'is not bound',
    )
    for (const id of [guild, 'x', '9'.repeat(30)])
      expectProblem(
        await askWithKey(server(), 'DELETE', `/discord/servers?id=${id}`),
        404,
        'discord_server_not_found',
      )
  })

  test('everyone can read: status, players, and the invite code, which only they see', async () => {
    const guild = await boundGuild(server())
    await server().farm.join({ id: 41n, name: '*Abby* <@1> @everyone' })
    expect(publicly(await sendCommand(server(), 'status', { guild }))).toMatch(
      /^\*\*.+\*\*: \d\d:\d\d on day \d+ of (spring|summer|fall|winter), year \d+\. \d+ of \d+ players/,
    )
    const reported = await eventually(async () => {
      const text = publicly(await sendCommand(server(), 'players', { guild }))
      expect(text).toContain('Abby')
      return text
    })
    expect(reported).toContain('\\*Abby\\* \\<\\@1\\> \\@everyone')
    await server().farm.leave(41n)
    expect(privately(await sendCommand(server(), 'invite', { guild }))).toMatch(
      /^Invite code: \*\*S\S+\*\*\nFor players on GOG only: \*\*G\S+\*\*$/,
    )
  })

  test('only roles that an operator has named can do more, and a refusal is private', async () => {
    const guild = await boundGuild(server())
    const stranger = { guild, roles: ['701'] }
    for (const [name, given, scope] of [
      ['time', { value: 1200 }, 'control'],
      ['backup', {}, 'control'],
      ['announce', { message: 'hello' }, 'chat'],
    ] as const) {
      const reply = await sendCommand(server(), name, { ...stranger, given })
      expect(privately(reply)).toContain(`has the scope ${scope}`)
    }
    expect(await audited('setTime')).toMatchObject({ outcome: 'refused', status: 403 })
    const done = await sendCommand(server(), 'time', {
      guild,
      roles: ['701', helper],
      given: { value: 1300 },
    })
    expect(privately(done)).toBe('Time set to 1300.')
    expect(await audited('setTime')).toMatchObject({
      origin,
      key: { id: 'discord_53908232506183680', name: 'mason' },
      parameters: { value: '1300' },
      outcome: 'done',
      status: 200,
    })
  })

  test('announce says a line, and backup makes a backup', async () => {
    const guild = await boundGuild(server())
    const by = { guild, roles: [helper] }
    const said = await sendCommand(server(), 'announce', { ...by, given: { message: 'The farm restarts' } })
    expect(privately(said)).toBe('Announced to all players.')
    await eventually(() =>
      server()
        .farm.seen()
        .some((line) => line.includes('The farm restarts')),
    )
    const { farmName } = (await ask(server(), 'GET', '/status')).json as { readonly farmName: string }
    server().saved.save({ farmName })
    expect(privately(await sendCommand(server(), 'backup', by))).toMatch(/^Made the backup /)
  })

  test('a restart waits as asked, is in the audit, and needs a role with the scope control', async () => {
    const guild = await boundGuild(server())
    const given = { when: 'empty', reason: 'new mods' }
    expect(privately(await sendCommand(server(), 'restart', { guild, roles: ['701'], given }))).toContain(
      'has the scope control',
    )
    await server().farm.join({ id: 42n, name: 'Abby' })
    const reply = await sendCommand(server(), 'restart', { guild, roles: [helper], given })
    expect(privately(reply)).toMatch(/^The game restarts when no players are online\. Operation \S+\.$/)
    expect(await audited('restartGame')).toMatchObject({ origin, outcome: 'done', parameters: given })
    const { operations } = (await askWithKey(server(), 'GET', '/host/operations')).json as {
      readonly operations: readonly { readonly id: string }[]
    }
    expect(operations[0]).toMatchObject({ state: 'waiting', by: { name: 'mason' }, ...given })
    await askWithKey(server(), 'DELETE', `/host/operations?id=${operations[0]?.id}`)
    await server().farm.leave(42n)
  })

  test("the API's refusal of a value is answered with its sentence", async () => {
    const guild = await boundGuild(server())
    const reply = await sendCommand(server(), 'time', { guild, roles: [helper], given: { value: 9999 } })
    expect(privately(reply)).toContain("Parameter 'value' must be")
  })

  test('an unknown command is answered as unknown', async () => {
    const guild = await boundGuild(server())
    for (const name of ['dance', 'constructor', '__proto__'])
      expect(privately(await sendCommand(server(), name, { guild }))).toContain('is not known here')
  })

  test('a repeated command is made only once', async () => {
    const guild = await boundGuild(server())
    const body = commandBody('time', { guild, roles: [helper], given: { value: 1400 } })
    const timestamp = nowInSeconds()
    expect(privately(await sendSigned(server(), body, { timestamp }))).toBe('Time set to 1400.')
    const before = await server().farm.writes()
    expect(privately(await sendSigned(server(), body, { timestamp }))).toContain('answered before')
    expect(await server().farm.writes()).toEqual(before)
  })
}
