/** The link between a real Node process and a real workerd, when things go wrong (docs/architecture.md). */
import { expect, onTestFinished, test } from 'vitest'
import { steeredFarm } from '../bridges/simulated/steered-farm.ts'
import { type ChatClient, openAuthenticated } from '../contract/chat-client.ts'
import { type LogLine, recorder } from '../logs.ts'
import { eventually, pause } from '../wait.ts'
import { anEdge, headers } from './an-edge.ts'
import { linkFarm, linkKey } from './edge-server.ts'
import { diallingFarm, linkedFarm } from './linked-farm.ts'
import { wireTo } from './wire.ts'

async function farmAt(url: string, speaker: bigint, name: string) {
  const farm = steeredFarm()
  farm.controls.join({ id: speaker, name })
  const { link } = await linkedFarm(url, linkKey, {}, farm)
  return { farm, link, say: (message: string) => farm.controls.say(speaker, message) }
}

const lines = (client: ChatClient) =>
  client.messages('chat').map(({ payload }) => ({
    message: String(payload?.['message']),
    seq: Number(payload?.['seq']),
  }))

test('two origins that keep replacing the link of one farm: each line of either is sent once, and clients stay connected', async () => {
  const server = await anEdge()
  const client = await openAuthenticated(server)
  const abby = await farmAt(server.url, 7n, 'Abby')
  const zoe = await farmAt(server.url, 8n, 'Zoë')
  for (let at = 1; at <= 150; at += 1) {
    abby.say(`abby ${at}`)
    zoe.say(`zoe ${at}`)
    await pause(15)
    if (at % 30 === 0)
      expect([200, 503]).toContain((await fetch(`${server.url}/players`, { headers })).status)
  }
  await eventually(() => expect(lines(client)).toHaveLength(300))
  const heard = lines(client)
  for (const name of ['abby', 'zoe'])
    expect(heard.map(({ message }) => message).filter((message) => message.startsWith(name))).toEqual(
      Array.from({ length: 150 }, (_, at) => `${name} ${at + 1}`),
    )
  expect(heard.map(({ seq }) => seq)).toEqual(heard.map((_, at) => (heard[0]?.seq ?? 0) + at))
  expect(client.ws.readyState).toBe(client.ws.OPEN)
})

test('when an offline farm is back, clients are still connected, and subscribers get an event and the players who came meanwhile', async () => {
  const server = await anEdge()
  const { farm, link } = await farmAt(server.url, 7n, 'Abby')
  const client = await openAuthenticated(server)
  client.send({ type: 'subscribe', payload: { topics: ['status', 'players'] } })
  await client.take('snapshot')
  await client.take('snapshot')
  await link.close()
  expect((await client.take('event')).payload).toMatchObject({
    event: 'status_changed',
    status: { isOnline: false },
  })
  expect(await (await fetch(`${server.url}/health`)).json()).toMatchObject({
    status: 'degraded',
    gameAvailable: false,
  })
  client.send({ type: 'chat_send', payload: { author: 'Bot', message: 'anybody?' } })
  expect((await client.take('error')).payload).toMatchObject({ code: 'game_unavailable' })

  farm.controls.join({ id: 9n, name: 'Came meanwhile' })
  const again = linkFarm(farm, server.url, linkKey)
  onTestFinished(() => again.close())
  expect((await client.take('event')).payload).toMatchObject({
    event: 'status_changed',
    status: { isOnline: true },
  })
  const snapshot = await client.take('snapshot')
  expect(snapshot.payload).toMatchObject({ topic: 'players' })
  expect(JSON.stringify(snapshot.payload)).toContain('Came meanwhile')
})

test('a wrong link key is refused before the handshake each time, logged once, and counted each time', async () => {
  const server = await anEdge()
  const lines: LogLine[] = []
  const { link } = diallingFarm(server.url, 'not the link key', { log: recorder(lines) })
  const failedKeys = async () => {
    const metrics = await (await fetch(`${server.url}/metrics`, { headers })).text()
    return Number(/^farmgate_failed_keys_total\{.*\} (\d+)$/m.exec(metrics)?.[1])
  }
  // Beyond the limit of wrong keys from one address too, where the answer is another one.
  await eventually(async () => expect(await failedKeys()).toBeGreaterThan(12))
  expect(link.isOpen).toBe(false)
  expect(lines.filter(({ level }) => level !== 'debug')).toEqual([
    {
      level: 'error',
      fields: { address: new URL(server.url).host, cause: 'key_refused' },
      message: 'the edge refuses the link key: check EDGE_LINK_KEY',
    },
  ])
  expect((await fetch(`${server.url}/players`, { headers })).status).toBe(503)
})

test('an unreachable edge is logged once with its address and cause, and once when the link is open', async () => {
  const server = await anEdge()
  const wire = await wireTo(server.url)
  onTestFinished(() => wire.stop())
  const lines: LogLine[] = []
  wire.refuse(true)
  const { link } = diallingFarm(wire.url, linkKey, { log: recorder(lines) })
  await eventually(() => expect(wire.refused).toBeGreaterThan(3))
  wire.refuse(false)
  await eventually(() => expect(link.isOpen).toBe(true))
  const address = new URL(wire.url).host
  expect(lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
    'warn: no link to the edge: the connection was reset',
    'info: linked to the edge',
  ])
  expect(lines[0]?.fields).toEqual({ address, cause: 'connection_lost' })
  expect(lines[1]?.fields).toMatchObject({ address })
})

async function twoWires() {
  const { url } = await anEdge()
  const wires = [await wireTo(url), await wireTo(url)] as const
  onTestFinished(() => Promise.all(wires.map((wire) => wire.stop())).then(() => undefined))
  return wires
}

function dial(urls: readonly string[]) {
  const lines: LogLine[] = []
  const { link } = diallingFarm(urls, linkKey, { log: recorder(lines) })
  const linkedTo = () =>
    lines.filter(({ message }) => message === 'linked to the edge').map(({ fields }) => fields)
  return { link, linkedTo }
}

const at = (wire: { readonly url: string }) => expect.objectContaining({ address: new URL(wire.url).host })

test('the addresses are tried in turn until one works, which is the first to be tried after a loss', async () => {
  const [first, second] = await twoWires()
  first.refuse(true)
  const { link, linkedTo } = dial([first.url, second.url])
  await eventually(() => expect(link.isOpen).toBe(true))
  expect([linkedTo(), first.refused]).toEqual([[at(second)], 1])

  first.refuse(false)
  second.cut()
  await eventually(() => expect(linkedTo()).toHaveLength(2))
  expect(linkedTo()).toEqual([at(second), at(second)])
})

test('when the address that worked is unreachable, the link opens at the next one', async () => {
  const [first, second] = await twoWires()
  const { link, linkedTo } = dial([first.url, second.url])
  await eventually(() => expect(link.isOpen).toBe(true))
  first.refuse(true)
  first.cut()
  await eventually(() => expect(linkedTo()).toEqual([at(first), at(second)]))
})
