/** The alerts of deploy/prometheus fire when what they warn of is there, and not before. */

import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { readText } from '../compose.ts'
import { startGameServer } from '../game-server/game-server.ts'
import { serving } from '../runtime/node/farmgate-process.ts'
import { samplesIn, scrape } from '../runtime/node/scrape.ts'
import { newFolder } from '../runtime/records/a-keeper.ts'
import { fakePlatform } from '../ticket/fake-platform.ts'
import { httpSetting } from '../ticket/http-setting.ts'
import { eventually } from '../wait.ts'
import { alerts, charts } from './alert-rules.ts'
import { registeredMetrics } from './documented-metrics.ts'
import { holds, metricsIn, type Readings } from './promql.ts'

const key = 'alerts-alerts-alerts-alerts-alerts'

const firing = (readings: Readings) =>
  [...alerts].filter(([, expression]) => holds(expression, readings)).map(([name]) => name)

/** A farm as a process of its own. */
async function farm(env: Readonly<Record<string, string>> = {}) {
  const { url } = await serving({ API_KEY: key, ...env })
  const read = () => scrape(url, key)
  const first = await read()
  return {
    url,
    /** Waits until just these alerts are there, since the start. */
    fires: (...names: readonly string[]) =>
      eventually(async () => expect(firing({ before: first, after: await read() })).toEqual(names)),
    /** Begins a new window. @returns waits until just these alerts are there, since now */
    async window() {
      const before = await read()
      return (...names: readonly string[]) =>
        eventually(async () => expect(firing({ before, after: await read() })).toEqual(names))
    },
  }
}

/** A farm on a game server that can be spoiled. */
async function farmOnGame() {
  const game = await startGameServer({ snapshotEvery: 50 })
  onTestFinished(() => game.stop())
  const started = await farm({ GAME_API_URL: game.url })
  await started.fires()
  return { ...started, game }
}

async function serverOn(server = createServer()) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('what operators load', () => {
  test('every metric that an alert or a chart names exists', () => {
    const existing = new Set(
      Object.values(registeredMetrics())
        .flat()
        .flatMap(({ name, type }) =>
          type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name],
        ),
    )
    const named = [...alerts.values(), ...charts].flatMap(metricsIn)
    expect(named.length).toBeGreaterThan(30)
    expect(named.filter((name) => !existing.has(name))).toEqual([])
  })

  test('every metric of the farm is in an alert or a chart', () => {
    const named = new Set([...alerts.values(), ...charts].flatMap(metricsIn))
    const { 'Farm and edge': shared, 'Farm only': own } = registeredMetrics()
    const left = [...shared, ...own]
      .map(({ name, type }) => (type === 'histogram' ? `${name}_bucket` : name))
      .filter((name) => !named.has(name))
    expect(left).toEqual([])
  })
})

describe('alerts', () => {
  test('none is there while all is well', async () => {
    await farm().then(({ fires }) => fires())
  })

  test('FarmgateFarmAway: the game server does not answer', async () => {
    const { game, fires } = await farmOnGame()
    await game.down()
    await fires('FarmgateFarmAway')
  })

  test('FarmgateGameFrozen: the main loop of the game stands still', async () => {
    const { game, fires } = await farmOnGame()
    game.world.isFrozen = true
    await fires('FarmgateGameFrozen')
  })

  test('FarmgateNightStuck: a day turns and does not end', async () => {
    const { game, fires } = await farmOnGame()
    game.world.isTurning = true
    game.world.clockOffset = 60_000
    await fires('FarmgateNightStuck')
  })

  test('FarmgateGameSlow: the game takes more than a second to answer', async () => {
    const { game, window } = await farmOnGame()
    game.faults.set({ kind: 'slow', milliseconds: 1500 })
    await (await window())('FarmgateGameSlow')
  })

  test('FarmgateLinkDown: the edge cannot be reached', async () => {
    const { fires } = await farm({ EDGE_URL: 'http://127.0.0.1:9', EDGE_LINK_KEY: `${key}${key}` })
    await fires('FarmgateLinkDown')
  })

  test('FarmgateLinkFlapping: the link is opened and lost again and again', async () => {
    const server = createServer()
    const links: WebSocket[] = []
    new WebSocketServer({ server, path: '/link' }).on('connection', (ws) => {
      ws.once('message', () => {
        ws.send(JSON.stringify({ type: 'welcome', generation: 1, heard: 0 }))
        links.push(ws)
      })
    })
    const { fires: settles, window } = await farm({
      EDGE_URL: await serverOn(server),
      EDGE_LINK_KEY: `${key}${key}`,
    })
    await settles()
    const fires = await window()
    for (let cuts = 0; cuts < 6; cuts += 1) {
      await eventually(() => links.length > cuts)
      links[cuts]?.close(1001)
    }
    await fires('FarmgateLinkFlapping')
  })

  test.each([
    ['FarmgateTokenEnding', 5],
    ['no alert', 150],
    ['no alert', undefined],
  ])('%s: the Steam token lasts %s days', async (alert, tokenDaysLeft) => {
    const expected = alert === 'no alert' ? [] : [alert]
    const platform = fakePlatform()
    platform.set({ tokenDaysLeft })
    const after = samplesIn(await (await httpSetting(platform).call('/metrics')).text())
    expect(firing({ before: after, after })).toEqual(expected)
    const health = JSON.stringify({ logged_in: true, token_days_remaining: tokenDaysLeft })
    const ticket = createServer((_request, response) => response.end(health))
    const { fires } = await farm({ PLATFORM_AUTH_URL: await serverOn(ticket) })
    await fires(...expected)
  })

  test('FarmgateRecordsFailing: DATA_DIR cannot be used', async () => {
    const folder = join(newFolder(), 'data')
    writeFileSync(folder, 'a file, not a folder')
    const { fires } = await farm({ DATA_DIR: folder })
    await fires('FarmgateRecordsFailing')
  })

  /** Makes a backup of the farm, as soon as it has saved. */
  const backUp = (url: string, status: number) =>
    eventually(async () => {
      const answer = await fetch(`${url}/backups`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}` },
      })
      return answer.status === status
    })

  test('FarmgateBackupFailing: BACKUP_DIR cannot be used', async () => {
    const folder = join(newFolder(), 'backups')
    writeFileSync(folder, 'a file, not a folder')
    const { url, fires } = await farm({
      SAVES_DIR: newFolder(),
      BACKUP_DIR: folder,
      RATE_LIMIT_WRITES: '0',
    })
    await backUp(url, 507)
    await fires('FarmgateBackupFailing')
  })

  test('FarmgateBackupCopiesWaiting: the storage for copies cannot be reached', async () => {
    const { url, fires } = await farm({
      SAVES_DIR: newFolder(),
      BACKUP_S3_URL: 'http://127.0.0.1:9/bucket',
      BACKUP_S3_ACCESS_KEY_ID: 'id',
      BACKUP_S3_SECRET_ACCESS_KEY: key,
      RATE_LIMIT_WRITES: '0',
    })
    await backUp(url, 201)
    await fires('FarmgateBackupCopiesWaiting')
  })

  test('FarmgateWrongKeys: somebody tries one key after the other', async () => {
    const { url, fires } = await farm()
    for (let count = 0; count < 12; count += 1)
      await fetch(`${url}/players`, { headers: { Authorization: `Bearer wrong-wrong-wrong-${count}` } })
    await fires('FarmgateWrongKeys')
  })

  test('docs/metrics.md lists each of them, and each has a test here', () => {
    const listed = [...readText('docs/metrics.md').matchAll(/^\| `(Farmgate\w+)` \|/gm)].map(
      ([, name]) => name,
    )
    expect(listed).toEqual([...alerts.keys()])
    const own = readText('test/project/alerts.test.ts')
    for (const name of alerts.keys()) expect(own).toContain(`'${name}`)
  })
})
