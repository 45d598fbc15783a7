/** The requests of Discord (docs/notifications.md): signatures, commands, and late answers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DiscordApi, discordApi } from '../../discord/discord-api.ts'
import { discordKey, sendSigned } from '../../discord/signed.ts'
import { askWithKey, expectProblem } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'
import { discordCommands } from './discord-commands.ts'
import { lateReplies } from './discord-late.ts'
import { ping, signedRequests } from './discord-signed.ts'

export function discordContract({ start, origin }: RuntimeUnderTest): void {
  describe('without DISCORD_PUBLIC_KEY', () => {
    const server = sharedServer(start)

    test('Discord is not set up: its requests are 404', async () => {
      expectProblem(await sendSigned(server(), ping), 404, 'not_found', { path: '/discord/interactions' })
      const { json } = await askWithKey(server(), 'GET', '/discord/servers')
      expect(json).toEqual({ isSetUp: false, servers: [] })
    })
  })

  describe('Discord commands', () => {
    let api: DiscordApi
    beforeAll(async () => {
      api = await discordApi()
    })
    afterAll(() => api.stop())
    const server = sharedServer((options) =>
      start({ ...options, discord: { publicKey: discordKey, apiUrl: api.url } }),
    )

    signedRequests(server)
    discordCommands(server, origin)
    lateReplies(server, () => api)
  })
}
