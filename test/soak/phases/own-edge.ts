/**
 * Three instances of `npm run edge:serve` with one bucket, with their usual leases: farms stay linked and nothing
 * acknowledged is lost while each is restarted in turn, one is killed, and the clock of the last one is set back.
 */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Row, type Subject, startSubject } from '../../../bench/measure.ts'
import { askFleet, type Cluster, makeFarm, openCluster } from '../../edge/cluster/cluster.ts'
import { ledger } from '../../edge/cluster/ledger.ts'
import { movableClock } from '../../edge/cluster/movable-clock.ts'
import { lineRows, settled, startCrowd, until } from '../crowd.ts'
import { atMost, none, type Phase } from '../phase.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const size = 3
const farmCount = 50
const clientsOfFarm = 10
const clients = farmCount * clientsOfFarm
/** Seconds. */
const linkedWithin = 45
const clockGoesBack = 20
/** Seconds after an event in which a farm can still lose its link: a lease of 20 s, and the next turn of a reader. */
const watchedFor = 26
const quietFor = 6

interface Event {
  readonly what: 'restart' | 'kill' | 'clock'
  readonly at: number
}
const round: readonly Event[] = [
  ...Array.from({ length: size }, (_, at) => ({ what: 'restart', at }) as const),
  { what: 'kill', at: 1 },
  { what: 'clock', at: size - 1 },
]

/** What clients may see. */
const expected = /^(503 with Retry-After|10(01|12|13)\b.*)$/
/** And at the instance that ends: one that is killed, or has the wrong clock, closes no socket in order. */
const dropped = /^(1006|ECONNREFUSED|ECONNRESET|UND_ERR_SOCKET|socket hang up)$/

async function run(seconds: number): Promise<readonly Row[]> {
  const built = spawnSync(process.execPath, ['own-edge/build.ts'], { cwd: root, encoding: 'utf8' })
  if (built.status !== 0) throw new Error(built.stderr)
  const folder = mkdtempSync(join(tmpdir(), 'farmgate-soak-'))
  const clock = movableClock(folder)
  const cluster = await openCluster(size, {
    bundle: join(root, 'dist/edge'),
    timeDivisor: 1,
    envOf: (at) => (at === size - 1 ? clock.env : {}),
  })
  const farms = await startSubject(new URL('../../../bench/edge/farms.ts', import.meta.url))
  const crowd = await startCrowd('', '', 0)
  try {
    return await measured(cluster, farms, crowd, clock.problem === undefined ? clock.set : undefined, seconds)
  } finally {
    for (const subject of [farms, crowd]) await subject.stop()
    await cluster.stop()
    rmSync(folder, { recursive: true })
  }
}

async function measured(
  cluster: Cluster,
  farms: Subject,
  crowd: Subject,
  setClock: ((seconds: number) => void) | undefined,
  seconds: number,
) {
  const urls = cluster.instances.map(({ url }) => url)
  const portOf = (at: number) => new URL(urls[at] ?? '').port
  const all: { readonly name: string; readonly apiKey: string }[] = []
  for (let at = 0; at < farmCount; at += 1) {
    const name = `farm-${at}`
    const inTurn = [...urls.slice(at % size), ...urls.slice(0, at % size)].map(
      (url) => `${url}/farms/${name}`,
    )
    const { apiKey, linkKey } = await makeFarm(urls[at % size] ?? '', name)
    await farms.call('link', inTurn, linkKey)
    const sockets = inTurn.map((url) => `${url.replace('http', 'ws')}/ws`).join()
    await crowd.call('visit', sockets, apiKey, clientsOfFarm)
    all.push({ name, apiKey })
  }
  await until(async () => (await crowd.call<number>('connected')) === clients, 120)

  /** What clients saw and where, since this was last judged. */
  let seen: [port: string, how: string][] = []
  await crowd.call('endings')
  /** When each farm was last seen unlinked, and when it was linked again, by `performance.now()`. */
  const unlinked = all.map(() => ({ lastAt: 0, backAt: 0 }))
  let isOver = false
  let said = 0
  const repeat = async (turn: (count: number) => Promise<void>) => {
    for (let count = 0; !isOver; count += 1) {
      await turn(count)
      await pause(2000)
    }
  }
  const writes = ledger(cluster, all, 300)
  const working = [
    ...all.map(({ name, apiKey }, of) =>
      repeat(async (turn) => {
        const at = (of + turn) % size
        const path = `/farms/${name}/players`
        const { status, retryAfter, cause } = await askFleet(urls[at] ?? '', 'GET', path, undefined, apiKey)
        if (status !== 200)
          seen.push([portOf(at), cause ?? `${status}${retryAfter === undefined ? '' : ' with Retry-After'}`])
        const one = unlinked[of]
        // An ended instance says nothing of the farm.
        if (one === undefined || cause !== undefined) return
        if (status !== 200) Object.assign(one, { lastAt: performance.now(), backAt: 0 })
        else if (one.backAt === 0) one.backAt = performance.now()
      }),
    ),
    repeat(async () => {
      said += 1
      await farms.call('say', `line ${said}`)
      await crowd.call('send', said)
    }),
  ]

  const excused: Record<string, number> = {}
  const other: Record<string, number> = {}
  const judge = async ({ what, at }: Event) => {
    for (const [port, how] of [...seen, ...(await crowd.call<typeof seen>('endings'))]) {
      const where = port === portOf(at) ? 'at the instance' : 'at another instance'
      const isExpected = expected.test(how) || (port === portOf(at) && dropped.test(how))
      const counts = isExpected ? excused : other
      const kind = `${what}, ${where}: ${how}`
      counts[kind] = (counts[kind] ?? 0) + 1
    }
    seen = []
  }
  const outages: number[] = []
  const cause = async (event: Event) => {
    const launcher = cluster.instances[event.at]?.edge.launcher
    if (launcher === undefined) return
    const began = performance.now()
    if (event.what === 'clock') setClock?.(-clockGoesBack)
    else {
      const exited = once(launcher, 'exit')
      launcher.kill(event.what === 'kill' ? 'SIGKILL' : 'SIGTERM')
      await exited
    }
    if (event.what === 'restart') await cluster.restart(event.at)
    await pause(Math.max(0, began + watchedFor * 1000 - performance.now()))
    await until(() => {
      const now = performance.now()
      return unlinked.every(
        ({ lastAt, backAt }) => (lastAt === 0 || backAt > 0) && now - lastAt > quietFor * 1000,
      )
    }, 150)
    for (const { lastAt, backAt } of unlinked)
      if (lastAt > began) outages.push(((backAt === 0 ? performance.now() : backAt) - began) / 1000)
    if (event.what === 'kill') await cluster.restart(event.at)
    setClock?.(0)
    await until(async () => (await askFleet(urls[event.at] ?? '', 'GET', '/ready')).status === 200, 60)
    await judge(event)
  }
  const end = performance.now() + seconds * 1000
  let rounds = 0
  do {
    for (const event of round) await cause(event)
    rounds += 1
  } while (performance.now() < end)
  isOver = true
  await Promise.all(working)

  const report = await settled(crowd, clients)
  const texts = await crowd.call<readonly (readonly string[])[]>('texts')
  const lines = Array.from({ length: said }, (_, at) => `line ${at + 1}`).join()
  const relayed = Map.groupBy(await farms.call<readonly string[]>('relayed'), (id) => id)
  const confirmed = await crowd.call<readonly string[]>('confirmed')
  // New clients at every instance get what the edge has stored.
  for (const { apiKey } of all) await crowd.call('visit', '', apiKey, size)
  const stored = (await settled(crowd, clients + farmCount * size)).lines - report.lines
  const missing = await writes.check(urls[0] ?? '').then(
    () => ({}),
    (error: unknown) => ({ [String(error)]: 1 }),
  )
  return [
    {
      what: 'farms, chat clients; restarts, kills, clocks set back',
      measured: [farmCount, clients, rounds * size, rounds, setClock ? rounds : 0].join(', '),
    },
    {
      what: 'acknowledged farms, keys and tags; lines of clients; lines of each game',
      measured: [writes.acknowledged, confirmed.length, said].join(', '),
    },
    none('acknowledged farms, keys and tags that are missing', missing),
    none('acknowledged lines of clients that did not arrive once', {
      missing: confirmed.filter((id) => !relayed.has(id)).length,
      twice: [...relayed.values()].filter(({ length }) => length > 1).length,
    }),
    none('farms whose lines did not all arrive once, in order', {
      farms: texts.filter((one) => one.join() !== lines).length,
    }),
    ...lineRows(report).filter(({ bound }) => bound !== undefined),
    none('lines that new clients at every instance did not get', { lines: said * farmCount * size - stored }),
    none('farms that were always linked', { all: outages.length === 0 ? 1 : 0 }),
    atMost('longest until a farm was linked again', Math.max(0, ...outages), linkedWithin, ' s', 1),
    {
      what: 'answers 503, closes, and refusals of the ended instance',
      measured: JSON.stringify(excused),
    },
    none('anything else that clients saw', other),
  ]
}

export const ownEdgePhase: Phase = {
  name: 'own-edge',
  title: 'An edge on own machines, with instances that end',
  share: 1,
  run,
}
