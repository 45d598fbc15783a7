/** What clients of `/ws` receive about the times in which lines of the game's chat may be missing. */
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { startGameServer } from '../../game-server/game-server.ts'
import { newFolder } from '../../new-folder.ts'
import { eventually } from '../../wait.ts'
import { serving } from './farmgate-process.ts'

interface Message {
  readonly type: string
  readonly payload?: Readonly<Record<string, unknown>>
}

/** @param since with it the client has used `since` */
async function client(url: string, since?: number | 'now') {
  const ws = new WebSocket(url)
  onTestFinished(() => ws.terminate())
  const heard: Message[] = []
  ws.on('message', (data) => heard.push(JSON.parse(String(data))))
  await once(ws, 'open')
  ws.send(JSON.stringify({ type: 'auth', payload: { token: '', ...(since !== undefined && { since }) } }))
  await eventually(() => expect(heard.map(({ type }) => type)).toContain('auth_success'))
  return (...types: string[]) => heard.filter(({ type }) => types.includes(type))
}

test('while farmgate or its connection to the chat was down lines may be missing: a client that uses since is sent missed once per outage', async () => {
  const game = await startGameServer()
  onTestFinished(() => game.stop())
  const env = {
    GAME_BRIDGE: 'upstream',
    GAME_API_URL: game.url,
    ALLOW_INSECURE_SETUP: 'true',
    DATA_DIR: newFolder(),
  }
  const farmgate = await serving(env)
  await eventually(() => expect(game.chat.count).toBe(1))
  const [resuming, old] = [await client(farmgate.wsUrl, 'now'), await client(farmgate.wsUrl)]
  game.world.say('Abby', 'before')
  await eventually(() => expect(resuming('chat')).toHaveLength(1))
  const since = Number(resuming('chat')[0]?.payload?.['seq'])

  const cut = new Date().toISOString()
  game.chat.drop()
  await eventually(() => expect(resuming('missed')).toHaveLength(1))
  game.world.say('Abby', 'after')
  await eventually(() => expect(old('chat')).toHaveLength(2))
  const [outage] = resuming('missed')
  expect(outage).toEqual({ type: 'missed', payload: { from: expect.any(String), to: expect.any(String) } })
  expect(String(outage?.payload?.['to']) > cut).toBe(true)
  expect([resuming('missed').length, old('missed', 'gap')]).toEqual([1, []])

  // It writes the last second to the disk, which a kill may lose.
  await fetch(`${farmgate.url}/history/chat`)
  farmgate.signal('SIGKILL')
  await farmgate.exited
  const again = await serving(env)
  await eventually(() => expect(game.chat.count).toBe(1))
  const returned = await client(again.wsUrl, since)
  await eventually(() => expect(returned('missed')).toHaveLength(2))
  expect(returned('missed')[0]).toEqual(outage)
  expect(returned('chat', 'missed').map(({ type }) => type)).toEqual(['missed', 'chat', 'missed'])
})
