/** A client of `/ws` that knows only JunimoServer's protocol, while the game's own chat socket is lost. */
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { startPair } from '../../bridges/upstream/pair.ts'
import { eventually } from '../../wait.ts'

async function talking() {
  const pair = await startPair()
  onTestFinished(() => pair.close())
  const { server } = pair
  await eventually(() => expect(server.chat.count).toBe(1))
  const ws = new WebSocket(`${pair.gate.url.replace('http', 'ws')}/ws`)
  onTestFinished(() => ws.terminate())
  const heard: string[] = []
  ws.on('message', (data) => heard.push(JSON.parse(String(data)).type))
  await once(ws, 'open')
  const say = (message: string) =>
    ws.send(JSON.stringify({ type: 'chat_send', payload: { author: 'Bot', message, id: message } }))
  say('before')
  await eventually(() => expect(heard).toEqual(['chat_sent']))
  const lose = async () => {
    const refused = server.state.chatsRefused
    server.state.chatRefusal = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n'
    server.chat.drop()
    await eventually(() => expect(server.state.chatsRefused).toBeGreaterThan(refused))
  }
  return { server, ws, heard, say, lose }
}

test('its lines are held while the socket is lost, and are said in order when it is open again', async () => {
  const { server, ws, heard, say, lose } = await talking()
  await lose()
  for (const message of ['one', 'two', 'three']) say(message)
  ws.send('{"type":"ping"}')
  await eventually(() => expect(heard).toContain('pong'))
  server.state.chatRefusal = undefined
  await eventually(() => expect(heard.filter((type) => type === 'chat_sent')).toHaveLength(4))
  expect(server.world.heard).toEqual(['before', 'one', 'two', 'three'].map((said) => `(Web) Bot: ${said}`))
  expect([ws.readyState, heard.includes('error')]).toEqual([WebSocket.OPEN, false])
})

test('when the socket is not open again in time the close is their refusal: no error, and they are never said', async () => {
  const { server, ws, heard, say, lose } = await talking()
  await lose()
  say('lost')
  const [code, reason] = await once(ws, 'close')
  expect([code, String(reason), heard]).toEqual([1013, 'The game server is away', ['chat_sent']])
  server.state.chatRefusal = undefined
  await eventually(() => expect(server.chat.count).toBe(1))
  const again = new WebSocket(ws.url)
  onTestFinished(() => again.terminate())
  await once(again, 'open')
  again.send(JSON.stringify({ type: 'chat_send', payload: { author: 'Bot', message: 'after' } }))
  await eventually(() => expect(server.world.heard).toEqual(['(Web) Bot: before', '(Web) Bot: after']))
})
