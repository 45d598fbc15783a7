/** What the log says when the socket for chat to the game server is down. */
import { type AddressInfo, createServer as createSilentServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../wait.ts'
import { ownGame } from './own-game.ts'
import { plainServer } from './plain-server.ts'

describe('the log names the cause when the chat socket is down:', () => {
  test('no answer to the opening of its socket', async () => {
    const silent = createSilentServer((socket) => socket.on('error', () => socket.destroy()))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    onTestFinished(() => void silent.close())
    const { lines } = await ownGame({
      limits: { chatOpensWithin: 100 },
      urlOf: () => `http://127.0.0.1:${port}`,
    })
    await eventually(() =>
      expect(lines('chat with the game server is down')[0]?.message).toBe(
        'chat with the game server is down: no answer within 0.1 s',
      ),
    )
  })

  test('an answer without upgrade, as from a proxy that does not pass WebSockets on', async () => {
    const port = await plainServer()
    const { lines } = await ownGame({ urlOf: () => `http://127.0.0.1:${port}` })
    await eventually(() =>
      expect(lines('chat with the game server is down')[0]?.message).toBe(
        'chat with the game server is down: what answers there is not its API (status 404 to a WebSocket)',
      ),
    )
  })

  test('a key that only the chat socket refuses', async () => {
    const { server, bridge, lines } = await ownGame({ key: 'a key of the game' })
    await bridge.sendChat({ author: 'Bot', message: 'hello' })
    server.state.chatKey = 'another'
    server.chat.drop()
    await eventually(() =>
      expect(lines('chat with the game server is down').map(({ message }) => message)).toContain(
        'chat with the game server is down: it refuses GAME_API_KEY',
      ),
    )
    expect(lines('the game server refuses')).toEqual([])
    expect(bridge.health().gameAvailable).toBe(true)
  })
})
