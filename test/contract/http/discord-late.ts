/** Slow Discord commands: the game is offline, or slower than Discord's limit. */
import { expect, test } from 'vitest'
import { type DiscordApi, rateLimited } from '../../discord/discord-api.ts'
import { newId, sendCommand } from '../../discord/signed.ts'
import { eventually } from '../../wait.ts'
import type { ServerUnderTest } from '../server-under-test.ts'
import { boundGuild, ephemeral, helper, publicly } from './discord-guild.ts'

export function lateReplies(server: () => ServerUnderTest, api: () => DiscordApi): void {
  test('while the game is offline a command answers that in private', async () => {
    const guild = await boundGuild(server())
    await server().farm.goOffline()
    await eventually(async () => {
      const { status, json } = await sendCommand(server(), 'status', { guild })
      expect([status, json]).toMatchObject([
        200,
        { type: 4, data: { content: expect.stringContaining('not reachable'), flags: 4 | ephemeral } },
      ])
    })
    await server().farm.comeBack()
    await eventually(async () => publicly(await sendCommand(server(), 'status', { guild })))
  })

  test("an answer beyond Discord's time limit is deferred, and follows later", async () => {
    const guild = await boundGuild(server())
    api().answersNext(rateLimited(0.01))
    await server().farm.freeze()
    const id = newId()
    const reply = await sendCommand(server(), 'time', {
      guild,
      roles: [helper],
      id,
      given: { value: 1500 },
    })
    expect([reply.status, reply.json]).toEqual([200, { type: 5, data: { flags: ephemeral } }])
    await server().farm.thaw()
    const path = `/api/v10/webhooks/845027738276462632/token-of-${id}/messages/@original`
    await eventually(() => api().requests.filter((one) => one.path === path).length === 2)
    expect(api().requests.at(-1)).toMatchObject({
      method: 'PATCH',
      authorization: undefined,
      userAgent: expect.stringMatching(/^DiscordBot \(/),
      body: { content: 'Time set to 1500.', allowed_mentions: { parse: [] } },
    })
  })

  test('a late refusal is private: its public placeholder is deleted first', async () => {
    const guild = await boundGuild(server())
    const id = newId()
    await server().farm.fallSilent()
    const reply = await sendCommand(server(), 'players', { guild, id })
    expect([reply.status, reply.json]).toEqual([200, { type: 5 }])
    await server().farm.goOffline()
    const path = `/api/v10/webhooks/845027738276462632/token-of-${id}`
    const asked = () => api().requests.filter((one) => one.path.startsWith(path))
    await eventually(() => expect(asked()).toHaveLength(2))
    await server().farm.comeBack()
    expect(asked()).toMatchObject([
      { method: 'DELETE', path: `${path}/messages/@original`, body: undefined },
      {
        method: 'POST',
        path,
        body: {
          content: expect.stringMatching(/\S/),
          flags: 4 | ephemeral,
          allowed_mentions: { parse: [] },
        },
      },
    ])
  })
}
