/** The control API's report on itself, its game and the ticket service. */
import { setTimeout as pause } from 'node:timers/promises'
import * as v from 'valibot'
import { adminFindings } from '../../client/admin-findings.ts'
import { farmFindings } from '../../client/farm-findings.ts'
import {
  backupFindings,
  clockFinding,
  firstWrong,
  gameFinding,
  joiningFindings,
  metricsFindings,
  recordsFinding,
  withClock,
} from '../../client/findings.ts'
import { FarmgateError } from '../../client/index.ts'
import { shownMoment } from '../../handlers/game-moment.ts'
import manifest from '../../package.json' with { type: 'json' }
import type { Place } from '../connection/place.ts'
import { cause } from '../outcome/failure.ts'
import { ask } from './ask.ts'
import { answered, broken, type Check, ok, warning } from './check.ts'
import { checkOf } from './finding-check.ts'

const health = v.object({
  status: v.picklist(['ok', 'degraded']),
  timestamp: v.string(),
  gameAvailable: v.boolean(),
  isFrozen: v.boolean(),
  lastTickMs: v.optional(v.number()),
  records: v.optional(v.string()),
  galaxyLobby: v.optional(v.string()),
  steamSession: v.optional(v.string()),
  steamRelayReady: v.optional(v.boolean()),
  authReadiness: v.optional(v.string()),
  cause: v.exactOptional(cause),
})
type Health = v.InferOutput<typeof health>
const document = v.object({ info: v.object({ version: v.string() }) })

/**
 * @param patience maximum of milliseconds of the night during the check
 * @param now milliseconds since 1970
 */
export async function farmChecks(
  place: Place,
  {
    patience,
    signal,
    now,
  }: { readonly patience: number; readonly signal: AbortSignal; readonly now: () => number },
): Promise<Check[]> {
  const { url, key } = place
  const before = now()
  const asked = await ask(`${url}/health`, { signal })
  const read = 'cause' in asked ? undefined : v.safeParse(health, asked.body)
  if ('cause' in asked)
    return [
      broken(
        'farmgate',
        `${url} does not answer: ${asked.cause}`,
        'Check the address, and start farmgate: npm run serve.',
      ),
    ]
  if (read?.success !== true)
    return [
      broken(
        'farmgate',
        `${url}/health is not farmgate's (HTTP ${asked.status})`,
        'Check the address, and the proxy in front.',
      ),
    ]
  const skew = Date.parse(read.output.timestamp) - (before + asked.milliseconds / 2)
  const [own, document, nights, metrics, backups, ofFarm, joining] = await Promise.all([
    keyCheck(place, signal),
    ask(`${url}/openapi.json`, { signal }),
    nightCheck(place, read.output, patience, signal),
    ask(`${url}/metrics`, { key, signal }),
    ask(`${url}/backups`, { key, signal }),
    farmFindings(place.farm, read.output, { signal }),
    joinChecks(place, skew, signal),
  ])
  const ofMetrics = 'cause' in metrics || metrics.status !== 200 ? [] : metricsFindings(metrics.text)
  const isKept = !('cause' in backups) && backups.status === 200
  const hasEdge = ofMetrics.some(({ found }) => found === 'link_up' || found === 'link_down')
  return [
    answered('farmgate', `${url} answers after ${asked.milliseconds} ms`, asked.milliseconds),
    own,
    versionCheck(document),
    checkOf(clockFinding(skew)),
    checkOf(gameFinding(read.output)),
    ...ofFarm.map(checkOf),
    ...joiningFindings(read.output).map(checkOf),
    ...joining,
    ...(read.output.records === undefined ? [] : [checkOf(recordsFinding(read.output.records))]),
    ...nights,
    ...ofMetrics.map(checkOf),
    ...(isKept ? backupChecks(backups.body, now()) : []),
    // Without the records of the farm these would have no answer either.
    ...(isKept ? await adminChecks(place, hasEdge, signal) : []),
  ]
}

/** The first cause, of which most have a check of their own; none for a key that may not read it. */
async function joinChecks({ farm }: Place, skew: number, signal: AbortSignal): Promise<Check[]> {
  const name = 'friends can join'
  try {
    const cause = firstWrong(withClock(await farm.join({}, { signal }), clockFinding(skew)))
    if (cause === undefined) return [ok(name, 'farmgate found nothing that prevents joining')]
    return [warning('friends cannot join', cause.message, cause.next ?? '')]
  } catch (error) {
    if (!(error instanceof FarmgateError)) throw error
    return []
  }
}

/** No checks for a key without the scope `admin`. */
async function adminChecks({ farm }: Place, hasEdge: boolean, signal: AbortSignal): Promise<Check[]> {
  try {
    return (await adminFindings(farm, hasEdge, { signal })).map(checkOf)
  } catch (error) {
    if (!(error instanceof FarmgateError)) throw error
    return []
  }
}

async function keyCheck({ url, key }: Place, signal: AbortSignal): Promise<Check> {
  const asked = await ask(`${url}/players`, { key, signal })
  if ('cause' in asked) return broken('key', `no answer: ${asked.cause}`, 'Try again.')
  if (asked.status === 401 && key === '') return warning('key', 'none is given', 'farmgate login <url>')
  if (asked.status === 401)
    return broken('key', 'it is not accepted', 'Give the API_KEY of this farm: farmgate login <url>.')
  if (key === '')
    return warning('key', 'anyone controls this farm without a key', 'Set API_KEY, and restart farmgate.')
  return ok('key', 'it is accepted')
}

function versionCheck(asked: Awaited<ReturnType<typeof ask>>): Check {
  const read = 'cause' in asked ? undefined : v.safeParse(document, asked.body)
  if (read?.success !== true)
    return warning('version', 'it is not known', 'Look at /openapi.json of the farm.')
  const { version } = read.output.info
  if (version === manifest.version) return ok('version', version)
  return warning(
    'version',
    `farmgate there is ${version}, this is ${manifest.version}`,
    'Update the older one.',
  )
}

/** Milliseconds between two looks at a night. */
const pollEvery = 1000

/** Between two days the game saves; that takes seconds. */
async function nightCheck(
  { farm }: Place,
  { gameAvailable, isFrozen }: Health,
  patience: number,
  signal: AbortSignal,
): Promise<Check[]> {
  if (!gameAvailable || isFrozen) return []
  const isNight = async () => {
    try {
      const [status, health] = await Promise.all([farm.status({}, { signal }), farm.health({}, { signal })])
      return shownMoment(status, health) === 'night'
    } catch (error) {
      // Another check reports it.
      if (error instanceof FarmgateError) return false
      throw error
    }
  }
  for (let left = patience; await isNight(); left -= pollEvery) {
    if (left <= 0)
      return [broken('night', `it has not ended for ${Math.round(patience / 1000)} s`, nightRemedy)]
    await pause(pollEvery, undefined, { signal })
  }
  return [ok('night', 'no night is stuck')]
}

const nightRemedy =
  'Look at the log of the game server; when it saves no more, restart it: the last day is lost.'

const backupList = v.object({
  backups: v.array(v.object({ offsite: v.string() })),
  state: v.object({
    saves: v.string(),
    lastVerifiedAt: v.optional(v.string()),
    failing: v.optional(v.string()),
  }),
})

/**
 * @param answer of `GET /backups`
 * @param now milliseconds since 1970
 */
function backupChecks(answer: unknown, now: number): Check[] {
  const read = v.safeParse(backupList, answer)
  return read.success ? backupFindings(read.output, now).map(checkOf) : []
}
