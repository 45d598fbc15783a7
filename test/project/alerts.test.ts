/** The alerts of deploy/prometheus are sent when their cause has lasted for their time, and not before. */
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { heartbeat } from '../../bridges/linked/protocol.ts'
import { connect } from '../../client/index.ts'
import { openRecords } from '../../services/records/open-records.ts'
import { damagedBackup } from '../backups/damaged-backup.ts'
import { savedFarm } from '../backups/saved-farm.ts'
import { commandProcess } from '../game-server/command-process.ts'
import { startGameServer } from '../game-server/game-server.ts'
import { pointTo, startSavedGame } from '../game-server/saved-game.ts'
import { isInstalled } from '../left-out.ts'
import { silent } from '../logs.ts'
import { newFolder } from '../new-folder.ts'
import { portOf } from '../port-of.ts'
import { openedFarm } from '../runtime/node/open-farm.ts'
import { type Sample, samplesIn, scrape } from '../runtime/node/scrape.ts'
import { s3Key, startS3Server } from '../s3-server.ts'
import { fakePlatform } from '../ticket/fake-platform.ts'
import { httpSetting } from '../ticket/http-setting.ts'
import { eventually } from '../wait.ts'
import { alerts, holding, rules } from './alert-rules.ts'
import { type Cause, checkpoints, type Timeline, timelineOf } from './alert-timeline.ts'
import { metricsIn } from './promql.ts'
import { promtool } from './promtool.ts'

async function serverOn(server: Server) {
  return `http://127.0.0.1:${await portOf(server)}`
}

/** A ticket service whose token lasts so many days, on loopback. */
const ticketService = (days: number | undefined, isSignedIn = true) => {
  const health = JSON.stringify({ logged_in: isSignedIn, token_days_remaining: days })
  return serverOn(createServer((_request, response) => response.end(health)))
}

/** An edge on loopback that accepts links. @param linked called with each */
function edge(linked: (ws: WebSocket) => void = () => undefined) {
  const server = createServer()
  new WebSocketServer({ server, path: '/link' }).on('connection', (ws) => {
    ws.on('message', (text) => {
      if (String(text) === heartbeat.ping) ws.send(heartbeat.pong)
    })
    ws.once('message', () => {
      ws.send(JSON.stringify({ type: 'welcome', generation: 1, heard: 0, newest: 0 }))
      linked(ws)
    })
  })
  return serverOn(server)
}
const key = 'alerts-alerts-alerts-alerts-alerts'

/** The timeline of each alert, for promtool. */
const timelines: Timeline[] = []

/** Expects that an alert is sent once its cause has lasted for its `for`, not before, and until the cause ends. */
function follows(cause: Cause): void {
  const timeline = timelineOf(cause)
  timelines.push(timeline)
  const { minutes, sent: expected } = checkpoints(timeline)
  for (const minute of minutes) {
    const there = rules.filter((rule) => (timeline.sent.get(rule)?.[minute]?.size ?? 0) > 0)
    expect([minute, there.map(({ alert }) => alert)]).toEqual([
      minute,
      expected.has(minute) ? [cause.alert] : [],
    ])
  }
}

/** Prometheus adds this for a process that answers. */
const up: Sample = { name: 'up', labels: {}, value: 1 }

/** A farm of these variables, and the alerts of its metrics. */
async function farm(env: Readonly<Record<string, string>> = {}) {
  const { url } = await openedFarm({ API_KEY: key, RATE_LIMIT_READS: '0', ...env })
  const read = async () => [...(await scrape(url, key)), up]
  const since = (before: readonly Sample[]) => async (alert?: string) => {
    const after = await eventually(async () => {
      const now = await read()
      expect(holding({ now, ago: () => before })).toEqual(alert === undefined ? [] : [alert])
      return now
    })
    if (alert !== undefined) follows({ alert, well: await whileAllIsWell(), before, after })
    return after
  }
  return {
    url,
    /** Waits until only this alert is sent, since the start; none unless given. @returns the metrics at that time */
    fires: since(await read()),
    /** Starts a new window. @returns waits until only this alert is sent, since now */
    window: async () => since(await read()),
  }
}

/** A farm with a game server that can be made faulty. */
async function farmOnGame() {
  const game = await startGameServer({ snapshotEvery: 50 })
  onTestFinished(() => game.stop())
  const started = await farm({ GAME_API_URL: game.url })
  await started.fires()
  return { ...started, game }
}

/** Makes a backup of the farm, as soon as it has saved. */
const backUp = (url: string, status: number) =>
  eventually(async () => {
    const answer = await fetch(`${url}/backups`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
    })
    // An unchanged save with a backup answers 200.
    return answer.status === status || (status === 201 && answer.status === 200)
  })

let well: Promise<readonly Sample[]> | undefined
/** The metrics of a farm with every variable set, with healthy game, link, ticket service and disks. */
const whileAllIsWell = () => {
  well ??= (async () => {
    const storage = await startS3Server()
    onTestFinished(() => storage.stop())
    const { url, fires } = await farm({
      EDGE_URL: await edge(),
      EDGE_LINK_KEY: `${key}${key}`,
      PLATFORM_AUTH_URL: await ticketService(150),
      SAVES_DIR: newFolder(),
      BACKUP_S3_URL: storage.url,
      BACKUP_S3_ACCESS_KEY_ID: s3Key.accessKeyId,
      BACKUP_S3_SECRET_ACCESS_KEY: s3Key.secretAccessKey,
      RATE_LIMIT_WRITES: '0',
      ...commandProcess().variables,
    })
    await backUp(url, 201)
    return fires()
  })()
  return well
}

describe('alerts', () => {
  test('none is sent while all is well', async () => {
    const well = await whileAllIsWell()
    expect(holding({ now: well, ago: () => well })).toEqual([])
    const ofFarm = well.filter(({ name }) => name.startsWith('farmgate_'))
    expect(ofFarm.filter(({ labels }) => labels['farm'] !== 'Junimo')).toEqual([])
    const used = new Set(
      [...alerts.values()].flatMap(metricsIn).filter((name) => name.startsWith('farmgate_')),
    )
    expect([...used].filter((name) => well.every((sample) => sample.name !== name))).toEqual([])
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

  test('FarmgateGameCrashed: the process of the game ends on its own', async () => {
    const { variables, looked, end } = commandProcess()
    const { fires } = await farm(variables)
    await looked()
    end()
    await fires('FarmgateGameCrashed')
  })

  test('FarmgateWatchdogGaveUp: the watchdog has restarted the game too often', async () => {
    const { variables, end } = commandProcess()
    end()
    const DATA_DIR = join(newFolder(), 'data')
    const records = openRecords(DATA_DIR, { audit: 90, history: 90, chat: 30 }, silent)
    records.later.keepNumber('watchdogGaveUpAt', Date.now())
    // A close does not wait long for a slow disk.
    await eventually(async () => (await records.calls.keptNumber('watchdogGaveUpAt')) !== undefined)
    await records.close()
    const { fires } = await farm({ ...variables, DATA_DIR })
    await fires('FarmgateWatchdogGaveUp')
  })

  test('FarmgateLinkDown: the edge is unreachable', async () => {
    const { fires } = await farm({ EDGE_URL: 'http://127.0.0.1:9', EDGE_LINK_KEY: `${key}${key}` })
    await fires('FarmgateLinkDown')
  })

  test('FarmgateLinkFlapping: the link is repeatedly opened and lost', async () => {
    const links: WebSocket[] = []
    const { fires: settles, window } = await farm({
      EDGE_URL: await edge((ws) => links.push(ws)),
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
    const expected = alert === 'no alert' ? undefined : alert
    const platform = fakePlatform()
    const metrics = async (days: number | undefined) => {
      platform.set({ tokenDaysLeft: days })
      return [...samplesIn(await (await httpSetting(platform).call('/metrics')).text()), up]
    }
    const [before, after] = [await metrics(150), await metrics(tokenDaysLeft)]
    expect(holding({ now: after, ago: () => before })).toEqual(expected === undefined ? [] : [expected])
    if (expected !== undefined) follows({ alert: expected, well: before, before, after })
    const { fires } = await farm({ PLATFORM_AUTH_URL: await ticketService(tokenDaysLeft) })
    await fires(expected)
  })

  test('FarmgateDown: the process has ended, or Prometheus has no target', async () => {
    const well = await whileAllIsWell()
    const gone = [{ ...up, value: 0 }]
    expect(holding({ now: gone, ago: () => gone })).toEqual(['FarmgateDown'])
    expect(holding({ now: [], ago: () => [] })).toEqual(['FarmgateDown'])
    follows({ alert: 'FarmgateDown', well, before: well, after: gone })
  })

  test('FarmgateSteamSignedOut: Steam has ended the session of the ticket service', async () => {
    const platform = fakePlatform()
    const metrics = async () => [
      ...samplesIn(await (await httpSetting(platform).call('/metrics')).text()),
      up,
    ]
    const before = await metrics()
    platform.set({ phase: 'login_needed' })
    const after = await metrics()
    expect(holding({ now: after, ago: () => before })).toEqual(['FarmgateSteamSignedOut'])
    follows({ alert: 'FarmgateSteamSignedOut', well: before, before, after })
    const { fires } = await farm({ PLATFORM_AUTH_URL: await ticketService(150, false) })
    await fires('FarmgateSteamSignedOut')
  })

  test('FarmgateBackupMissing: the farm is played, and there is no backup of its save', async () => {
    const { url, fires } = await farm({ SAVES_DIR: newFolder() })
    const client = connect({ url, key })
    // It makes one at its start.
    await eventually(async () => {
      for (const { id } of (await client.backups()).backups) {
        await client.deleteBackup({ id })
        return true
      }
      return false
    })
    await fires('FarmgateBackupMissing')
  })

  test('FarmgateBackupMissing: after 48 hours without a backup, and only on a farm that was played for more than an hour', async () => {
    const well = await whileAllIsWell()
    const set = (values: Readonly<Record<string, number>>) =>
      well.map((sample) => ({ ...sample, value: values[sample.name] ?? sample.value }))
    const aged = (hours: number, players: number) => {
      const now = set({
        farmgate_backup_last_verified_timestamp_seconds: Date.now() / 1000 - hours * 3600,
        farmgate_players: players,
      })
      return holding({ now, ago: () => now })
    }
    expect([aged(47, 1), aged(49, 1), aged(49, 0)]).toEqual([[], ['FarmgateBackupMissing'], []])
    // A player of half an hour might have ended no day.
    const now = set({ farmgate_backup_last_verified_timestamp_seconds: 0, farmgate_players: 0 })
    const played = set({ farmgate_players: 1 })
    const missing = (minutes: number) => holding({ now, ago: (ago) => (ago < minutes ? played : now) })
    expect([missing(30), missing(90)]).toEqual([[], ['FarmgateBackupMissing']])
  })

  test('FarmgateWrongFarm: the game plays another farm than before', async () => {
    const saved = savedFarm()
    onTestFinished(saved.remove)
    saved.save()
    pointTo(saved.savesDir, 'Clover_123456789')
    const game = await startSavedGame({ savesDir: saved.savesDir, snapshotEvery: 50 })
    onTestFinished(() => game.end())
    const variables = { GAME_API_URL: game.url, SAVES_DIR: saved.savesDir, BACKUP_DIR: saved.folder }
    const { fires, url } = await farm(variables)
    const isBackedUp = async () =>
      Object(await (await fetch(`${url}/backups`, { headers: { Authorization: `Bearer ${key}` } })).json())
        .backups.length > 0
    await eventually(async () => expect(await isBackedUp()).toBe(true))
    await fires()
    await game.stop()
    pointTo(saved.savesDir, 'Nothing_1')
    await game.start()
    await fires('FarmgateWrongFarm')
  })

  test('FarmgateBackupDamaged: the disk has changed a backup', async () => {
    const saved = savedFarm()
    onTestFinished(saved.remove)
    await damagedBackup(saved)
    const { fires } = await farm({ BACKUP_DIR: saved.folder })
    await fires('FarmgateBackupDamaged')
  })

  test('FarmgateRecordsFailing: DATA_DIR cannot be used', async () => {
    const folder = join(newFolder(), 'data')
    writeFileSync(folder, 'a file, not a folder')
    const { fires } = await farm({ DATA_DIR: folder })
    await fires('FarmgateRecordsFailing')
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

  test('FarmgateBackupCopiesWaiting: the storage for copies is unreachable', async () => {
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

  test('FarmgateDiskFilling: a disk is full within a day at this pace, and none that grows slowly', async () => {
    const well = await whileAllIsWell()
    const gigabytes = (used: number) =>
      well.map((sample) => {
        if (sample.name === 'farmgate_disk_used_bytes') return { ...sample, value: used * 2 ** 30 }
        return sample.name === 'farmgate_disk_size_bytes' ? { ...sample, value: 100 * 2 ** 30 } : sample
      })
    const growing = (perHour: number) =>
      holding({ now: gigabytes(60), ago: (minutes) => gigabytes(60 - (minutes * perHour) / 60) })
    expect([growing(1), growing(2)]).toEqual([[], ['FarmgateDiskFilling']])
    const before = gigabytes(60)
    follows({ alert: 'FarmgateDiskFilling', well: before, before, after: gigabytes(90) })
  })

  test('FarmgateMemoryNearLimit: the game uses nearly all the memory that it may use', async () => {
    const memory = { usage: 500, limit: 1000, stats: { inactive_file: 100 } }
    const container = {
      State: { Status: 'running', ExitCode: 0, StartedAt: '2026-01-01T00:00:00Z', FinishedAt: '' },
      Config: { Tty: true, OpenStdin: true, StdinOnce: false },
      cpu_stats: { cpu_usage: { total_usage: 1 } },
      memory_stats: memory,
    }
    const engine = createServer(({ url = '' }, response) =>
      url.includes('/logs') ? response.end() : response.end(JSON.stringify(container)),
    )
    const { fires } = await farm({
      GAME_HOST: 'docker',
      GAME_CONTAINER: 'game',
      DOCKER_HOST: `tcp://127.0.0.1:${await portOf(engine)}`,
    })
    await fires()
    memory.usage = 1050
    await fires('FarmgateMemoryNearLimit')
  })

  test('FarmgateWrongKeys: a client tries one key after the other', async () => {
    const { url, fires } = await farm()
    for (let count = 0; count < 12; count += 1)
      await fetch(`${url}/players`, { headers: { Authorization: `Bearer wrong-wrong-wrong-${count}` } })
    await fires('FarmgateWrongKeys')
  })

  test('each alert is caused in these tests', () => {
    expect(new Set(timelines.map(({ cause }) => cause.alert))).toEqual(new Set(alerts.keys()))
  })

  const prometheus = { name: 'promtool', debianPackage: 'prometheus' }
  test.runIf(isInstalled('what promtool says of the alerts', prometheus))(
    'promtool accepts the rules, and sends the same alerts at the same times, word by word',
    async () => {
      expect(await promtool(timelines, newFolder())).toContain(`SUCCESS: ${rules.length} rules found`)
    },
  )
})
