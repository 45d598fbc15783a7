/** The promises of docs/bot.md, over WebSocket alone: every runtime passes it. */
import { describe, expect, test } from 'vitest'
import { chatAuthContract } from './chat/auth.ts'
import { frameContract } from './chat/frames.ts'
import { linesContract } from './chat/lines.ts'
import { liveContract } from './chat/live.ts'
import { logContract } from './chat/log.ts'
import { pageContract } from './chat/page.ts'
import { resumeContract } from './chat/resume.ts'
import { sayContract } from './chat/say.ts'
import { upgradeContract } from './chat/upgrade.ts'
import { openAuthenticated, openChat } from './chat-client.ts'
import type { RuntimeUnderTest } from './server-under-test.ts'
import { ownServer } from './shared-server.ts'

function offlineContract({ start }: RuntimeUnderTest): void {
  describe('while the game is offline', () => {
    test('a client that has used neither since nor subscribe is closed 1013 after 10 s, the others stay and get an event', async () => {
      const server = await ownServer(start)
      const plain = await openAuthenticated(server)
      const resuming = await openAuthenticated(server, { since: 0 })
      const following = await openAuthenticated(server)
      following.send({ type: 'subscribe', payload: { topics: ['status'] } })
      await following.take('snapshot')
      await server.farm.goOffline()
      expect((await following.take('event')).payload).toMatchObject({ status: { isOnline: false } })
      expect(await plain.closed).toEqual({ code: 1013, reason: 'The game server is away' })
      for (const client of [resuming, following]) {
        client.send({ type: 'chat_send', payload: { author: 'Bot', message: 'anybody?' } })
        expect((await client.take('error')).payload).toMatchObject({ code: 'game_unavailable' })
      }

      const refused = await openChat(server)
      refused.send({ type: 'auth', payload: { token: server.key } })
      expect(await refused.closed).toEqual({ code: 1013, reason: 'The game server is away' })
      expect(refused.messages()).toEqual([])
      const again = await openAuthenticated(server, { since: 0 })
      await again.settled()

      await server.farm.comeBack()
      expect((await following.take('event')).payload).toMatchObject({ status: { isOnline: true } })
      await openAuthenticated(server)
    })
  })
}

export function chatContract(name: string, runtime: RuntimeUnderTest): void {
  describe(`the chat ${name} follows the contract over WebSocket`, () => {
    upgradeContract(runtime)
    chatAuthContract(runtime)
    frameContract(runtime)
    sayContract(runtime)
    offlineContract(runtime)
    linesContract(runtime)
    resumeContract(runtime)
    liveContract(runtime)
    logContract(runtime)
    pageContract(runtime)
  })
}
