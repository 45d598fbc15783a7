/** The link between a real Node process and a real workerd, when things go wrong (docs/link.md). */
import { expect, inject, onTestFinished, test } from 'vitest'
import { type ChatClient, openAuthenticated } from '../contract/chat-client.ts'
import { suiteKey } from '../contract/server-under-test.ts'
import { type LogLine, recorder } from '../logs.ts'
import { eventually, pause } from '../wait.ts'
import { startEdge } from './edge.ts'
import { linkFarm, linkKey, steeredFarm } from './edge-server.ts'
import { wireTo } from './wire.ts'

const headers = { Authorization: `Bearer ${suiteKey}` }

async function edge() {
  const running = await startEdge(inject('edgeBundle'), {
    API_KEY: suiteKey,
    LINK_KEY: linkKey,
    RATE_LIMIT_READS: '0',
  })
  onTestFinished(() => running.stop())
  return { url: running.url, key: suiteKey, wsUrl: `${running.url.replace('http', 'ws')}/ws` }
}

async function farmAt(url: string, speaker: bigint, name: string) {
  const farm = steeredFarm()
  farm.controls.join({ id: speaker, name })
  const link = linkFarm(farm, url, linkKey)
  onTestFinished(async () => {
    await link.close()
    await farm.close()
  })
  await eventually(() => expect(link.isOpen).toBe(true))
  return { farm, link, say: (message: string) => farm.controls.say(speaker, message) }
}

const lines = (client: ChatClient) =>
  client.messages('chat').map(({ payload }) => ({
    message: String(payload?.['message']),
    seq: Number(payload?.['seq']),
  }))

test('a link that is cut 100 times under load loses no chat line and repeats none', async () => {
  const server = await edge()
  const wire = await wireTo(server.url)
  onTestFinished(() => wire.stop())
  const { link, say } = await farmAt(wire.url, 7n, 'Abby')
  const clients = [await openAuthenticated(server), await openAuthenticated(server)]
  let said = 0
  const talking = setInterval(() => {
    said += 1
    say(`line ${said}`)
  }, 8)
  const statuses = new Set<number>()
  let cuts = 0
  while (cuts < 100) {
    await eventually(() => expect(link.isOpen).toBe(true))
    const asked = fetch(`${server.url}/players`, { headers })
    if (cuts % 2 === 0) await pause(10)
    wire.cut()
    cuts += 1
    statuses.add((await asked).status)
  }
  clearInterval(talking)
  await eventually(() => expect(link.isOpen).toBe(true))
  for (const client of clients) {
    await eventually(() => expect(lines(client).at(-1)?.message).toBe(`line ${said}`))
    const heard = lines(client)
    expect(heard.map(({ message }) => message)).toEqual(
      Array.from({ length: said }, (_, at) => `line ${at + 1}`),
    )
    const first = heard[0]?.seq ?? 0
    expect(heard.map(({ seq }) => seq)).toEqual(heard.map((_, at) => first + at))
  }
  expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([])
  expect((await fetch(`${server.url}/players`, { headers })).status).toBe(200)
})

test('two origins that keep replacing the link of one farm: each line of either is sent once, and clients stay connected', async () => {
  const server = await edge()
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

test('lines said while the edge cannot be reached are sent when it can be reached again', async () => {
  const server = await edge()
  const wire = await wireTo(server.url)
  const { say, link } = await farmAt(wire.url, 7n, 'Abby')
  const client = await openAuthenticated(server)
  say('before')
  await client.take('chat')
  wire.cut()
  for (const line of ['one', 'two', 'three']) say(line)
  await eventually(() => expect(link.isOpen).toBe(true))
  await eventually(() =>
    expect(lines(client).map(({ message }) => message)).toEqual(['before', 'one', 'two', 'three']),
  )
  await wire.stop()
})

test('a farm that is away: requests are 503, /status has its last status, clients stay connected and subscribers get an event when it is back', async () => {
  const server = await edge()
  const { farm, link } = await farmAt(server.url, 7n, 'Abby')
  const client = await openAuthenticated(server)
  client.send({ type: 'subscribe', payload: { topics: ['status', 'players'] } })
  await client.take('snapshot')
  await client.take('snapshot')
  const last = await (await fetch(`${server.url}/status`)).json()
  await link.close()
  expect((await client.take('event')).payload).toMatchObject({
    event: 'status_changed',
    status: { isOnline: false },
  })
  const { farmName, maxPlayers } = last
  const shown = await fetch(`${server.url}/status`)
  expect([shown.status, await shown.json()]).toEqual([
    503,
    expect.objectContaining({
      code: 'game_unavailable',
      isOnline: false,
      playerCount: 0,
      farmName,
      maxPlayers,
    }),
  ])
  expect(await (await fetch(`${server.url}/health`)).json()).toMatchObject({
    status: 'degraded',
    gameAvailable: false,
  })
  const away = await fetch(`${server.url}/players`, { headers })
  expect([away.status, Number(away.headers.get('retry-after')) > 0]).toEqual([503, true])
  expect(await away.json()).toMatchObject({ code: 'game_unavailable', retry: true })
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
  const server = await edge()
  const farm = steeredFarm()
  const lines: LogLine[] = []
  const link = linkFarm(farm, server.url, 'not the link key', recorder(lines))
  onTestFinished(async () => {
    await link.close()
    await farm.close()
  })
  const failedKeys = async () => {
    const metrics = await (await fetch(`${server.url}/metrics`, { headers })).text()
    return Number(/^farmgate_failed_keys_total (\d+)$/m.exec(metrics)?.[1])
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

test('an edge that cannot be reached is logged once with its address and cause, and once when the link is open', async () => {
  const server = await edge()
  const wire = await wireTo(server.url)
  onTestFinished(() => wire.stop())
  const farm = steeredFarm()
  const lines: LogLine[] = []
  wire.refuse(true)
  const link = linkFarm(farm, wire.url, linkKey, recorder(lines))
  onTestFinished(async () => {
    await link.close()
    await farm.close()
  })
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

test('an edge without keys answers 503 not_configured to everything except /health', async () => {
  const bare = await startEdge(inject('edgeBundle'), { LINK_KEY: linkKey })
  onTestFinished(() => bare.stop())
  for (const path of [
    '/status',
    '/players',
    '/docs',
    '/ws',
    '/link',
    '/farms',
    '/farms/clover/status',
    '/nothing',
  ]) {
    const answer = await fetch(`${bare.url}${path}`, { headers })
    expect([path, answer.status, await answer.json()]).toEqual([
      path,
      503,
      expect.objectContaining({ code: 'not_configured', retry: true }),
    ])
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  const health = await fetch(`${bare.url}/health`)
  expect([health.status, await health.json()]).toEqual([200, expect.objectContaining({ status: 'degraded' })])
})

test('a valid request id is echoed on every answer, whether the Worker or the object made it', async () => {
  const server = await edge()
  for (const path of [
    '/players',
    '/docs',
    '/farms',
    '/farms/nobody/players',
    '/farms/Bad/players',
    '/link',
    '/nothing',
  ]) {
    const [own, other] = await Promise.all(
      ['my-id-1', 'x'.repeat(200)].map((id) =>
        fetch(`${server.url}${path}`, { headers: { 'X-Request-Id': id } }),
      ),
    )
    expect([path, own?.headers.get('x-request-id')]).toEqual([path, 'my-id-1'])
    expect([path, other?.headers.get('x-request-id')]).toEqual([
      path,
      expect.stringMatching(/^[0-9a-f-]{36}$/),
    ])
    for (const name of ['x-content-type-options', 'referrer-policy', 'content-security-policy'])
      expect([path, own?.headers.has(name)]).toEqual([path, true])
  }
})
