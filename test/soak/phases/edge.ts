/** The Worker in workerd with a linked farm: a link that is cut, and keys that are replaced. */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import * as v from 'valibot'
import { type Row, startSubject } from '../../../bench/measure.ts'
import { bundled, dryRun } from '../../edge/bundle.ts'
import { startMiniflare } from '../../edge/miniflare.ts'
import { wireTo } from '../../edge/wire.ts'
import { lineRows, settled, startCrowd, until } from '../crowd.ts'
import { startFarmgate } from '../farmgate.ts'
import { measure } from '../holder.ts'
import { none, type Phase } from '../phase.ts'

const clients = 200
const newKey = () => randomBytes(32).toString('base64')
const off = { RATE_LIMIT_READS: '0', RATE_LIMIT_ANONYMOUS: '0', RATE_LIMIT_FAILED_KEYS: '0' }

const isServed = (url: string, key: string) => async () =>
  Object.keys((await measure(url, key, 0.05)).failures).length === 0

async function cutLink(seconds: number): Promise<readonly Row[]> {
  await dryRun(bundled)
  const [key, linkKey, gameKey] = [newKey(), newKey(), newKey()]
  const game = await startSubject(new URL('../subjects/game.ts', import.meta.url), gameKey)
  const edge = await startMiniflare(bundled, { API_KEY: key, LINK_KEY: linkKey, ...off })
  const wire = await wireTo(edge.url)
  const farm = await startFarmgate({
    API_KEY: key,
    GAME_API_URL: await game.call<string>('url'),
    GAME_API_KEY: gameKey,
    EDGE_URL: wire.url,
    EDGE_LINK_KEY: linkKey,
  })
  await until(isServed(edge.url, key), 30)
  const urls = `${edge.url.replace('http', 'ws')}/ws,${farm.wsUrl}`
  const crowd = await startCrowd(urls, key, clients)
  try {
    const measuring = measure(edge.url, key, seconds)
    const end = performance.now() + seconds * 1000
    let [cuts, said] = [0, 0]
    for (; performance.now() < end; cuts += 1) {
      wire.cut()
      for (let line = 0; line < 10; line += 1) {
        await game.call('say', `line ${said}`)
        said += 1
        await pause(200)
      }
      await crowd.call('cut', 4, cuts)
    }
    await until(isServed(edge.url, key), 60)
    await game.call('say', 'the last')
    const { '503': offline = 0, '504': late = 0, ...others } = (await measuring).failures
    const report = await settled(crowd, clients)
    return [
      { what: 'cuts of the link; answers 503 and 504 meanwhile', measured: `${cuts}; ${offline}, ${late}` },
      none('other answers that were not 200', others),
      ...lineRows(report),
      none('lines of the game that did not come to every client', {
        lines: (said + 1) * clients - report.lines,
      }),
      none('errors in the log of the farm', { errors: farm.errors.length }),
    ]
  } finally {
    for (const subject of [crowd, game]) await subject.stop()
    await farm.kill()
    await wire.stop()
    await edge.stop()
  }
}

const keys = v.object({ apiKey: v.optional(v.string(), ''), linkKey: v.optional(v.string(), '') })

async function rotateKeys(seconds: number): Promise<readonly Row[]> {
  await dryRun(bundled)
  const fleetKey = newKey()
  const edge = await startMiniflare(bundled, { FLEET_KEY: fleetKey, ...off })
  const url = `${edge.url}/farms/clover`
  const put = async (query = '') => {
    const headers = { Authorization: `Bearer ${fleetKey}` }
    const response = await fetch(`${url}${query}`, { method: 'PUT', headers })
    return v.parse(keys, await response.json())
  }
  const startFarm = (linkKey: string) =>
    startFarmgate({ API_KEY: newKey(), GAME_BRIDGE: 'simulated', EDGE_URL: url, EDGE_LINK_KEY: linkKey })
  let { apiKey, linkKey } = await put()
  let farm = await startFarm(linkKey)
  try {
    await until(isServed(url, apiKey), 30)
    const wrong: Record<string, number> = {}
    const count = (kind: string, isWrong: boolean) => {
      wrong[kind] = (wrong[kind] ?? 0) + (isWrong ? 1 : 0)
    }
    const end = performance.now() + seconds * 1000
    let turns = 0
    for (; performance.now() < end || turns === 0; turns += 1) {
      const old = apiKey
      apiKey = (await put('?rotate=api&overlapMinutes=1')).apiKey
      count('the replaced key during the overlap', !(await isServed(url, old)()))
      count('the new key', !(await isServed(url, apiKey)()))
      apiKey = (await put('?rotate=api')).apiKey
      count(
        'the replaced key without an overlap',
        (await measure(url, old, 0.05)).failures['401'] === undefined,
      )
      linkKey = (await put('?rotate=link&overlapMinutes=1')).linkKey
      count('the farm before it has its new link key', !(await isServed(url, apiKey)()))
      await farm.kill()
      farm = await startFarm(linkKey)
      count('the farm with its new link key', !(await until(isServed(url, apiKey), 30)))
    }
    return [{ what: 'rotations of each key', measured: String(turns) }, none('not as promised', wrong)]
  } finally {
    await farm.kill()
    await edge.stop()
  }
}

export const edgePhases: readonly Phase[] = [
  { name: 'link', title: 'A link that is cut', share: 2, run: cutLink },
  { name: 'rotation', title: 'Keys that are replaced', share: 1, run: rotateKeys },
]
