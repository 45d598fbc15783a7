/**
 * The game in a container of Docker (20.10 or newer) or podman. It needs no library: seven calls, two of them streams.
 * The paths name no version of the API, because Docker 29 refuses the newest one that 20.10 knows.
 */

import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import * as v from 'valibot'
import { FarmError, farmgateCannot } from '../../handlers/farm-error.ts'
import type { GameHost, GameProcess } from '../../handlers/game-host.ts'
import { type Clock, sleep } from '../../lib/clock.ts'
import { hostAndPort } from '../../lib/failure-cause.ts'
import { checkForeign } from '../../lib/foreign/read.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { cgroupMemory } from './cgroup-memory.ts'
import { dockerLog, logLineOf, logPosition, type StampedLine } from './docker-log.ts'
import { callHost, type HostAnswer, type HostServer, openCall, withoutAnswer } from './host-call.ts'
import { hostUnavailable, quoted } from './host-unavailable.ts'
import type { DriverParts, HostVariables } from './host-variables.ts'
import { keepFollowing } from './keep-following.ts'
import { lastLines } from './lines.ts'

/** @param text `unix:///path` or `tcp://host:port` */
function engineAt(text: string): Pick<HostServer, 'name' | 'base' | 'socketPath'> {
  const [, socketPath] = /^unix:\/\/(\/.+)$/.exec(text) ?? []
  const base = new URL(socketPath === undefined ? text.replace(/^tcp:/, 'http:') : 'http://localhost')
  const name = `The Docker engine at ${socketPath ?? hostAndPort(base)}`
  return { name, base, ...(socketPath !== undefined && { socketPath }) }
}

/** Milliseconds for a call with an immediate answer, and for one that starts a container or reads its log. */
const limits = { short: 4000, long: 30_000 }
/** Maximum of bytes of a log that are read. */
const longestLog = 64 * 1024 * 1024
/** Milliseconds in which a container's terminal shows the typed text. */
const echo = 300

const inspected = v.object({
  State: v.object({
    Status: v.string(),
    ExitCode: v.pipe(v.number(), v.safeInteger()),
    OOMKilled: v.exactOptional(v.boolean(), false),
    StartedAt: v.string(),
    FinishedAt: v.string(),
    Health: v.nullish(v.object({ Status: v.string() })),
  }),
  Config: v.object({ Tty: v.boolean(), OpenStdin: v.boolean(), StdinOnce: v.boolean() }),
})
type Inspected = v.InferOutput<typeof inspected>

const counted = v.pipe(v.number(), v.minValue(0))
const counters = v.pipe(
  v.record(v.string(), v.unknown()),
  v.transform((stats) =>
    Object.fromEntries(
      Object.entries(stats).filter((one): one is [string, number] => typeof one[1] === 'number'),
    ),
  ),
)
/** Of a container that does not run, the numbers are missing. */
const used = v.object({
  cpu_stats: v.object({
    cpu_usage: v.object({ total_usage: counted }),
    online_cpus: v.exactOptional(counted),
  }),
  memory_stats: v.object({
    usage: counted,
    limit: v.exactOptional(counted),
    stats: v.exactOptional(counters, {}),
  }),
})

/** Signals with which a person ends a container: SIGINT and SIGTERM. */
const asked = [130, 143]

/** The meaning of the engine's states, Docker's and podman's. Undefined for a container that has ended. */
const states: Readonly<Record<string, GameProcess['state'] | undefined>> = {
  created: 'stopped',
  configured: 'stopped',
  initialized: 'stopped',
  running: 'running',
  // It exists, and does nothing.
  paused: 'running',
  stopping: 'stopping',
  restarting: undefined,
  removing: undefined,
  exited: undefined,
  stopped: undefined,
  dead: undefined,
}

export function dockerDriver(
  { GAME_CONTAINER: container = '', DOCKER_HOST: engine = 'unix:///var/run/docker.sock' }: HostVariables,
  { clock }: DriverParts,
): GameHost {
  const closing = new AbortController()
  const host: HostServer = { ...engineAt(engine), closed: closing.signal }
  const path = (call: string) => `containers/${encodeURIComponent(container)}/${call}`
  let stops = 0
  /** The start of the process that farmgate stopped: its exit code does not mean a crash. */
  let stoppedRun: string | undefined
  let canType = true

  async function call(method: 'GET' | 'POST', what: string, limit: number): Promise<HostAnswer> {
    const answer = await callHost(host, { method, path: path(what) }, limit)
    refuse(answer.status, answer.body)
    return answer
  }

  function refuse(status: number, body?: unknown) {
    // 304: already in this state.
    if ((status >= 200 && status < 300) || status === 304) return
    if (status === 404)
      throw hostUnavailable(`${host.name} has no container ${container}. Check GAME_CONTAINER.`)
    if (status === 403)
      throw hostUnavailable(`${host.name} refuses the call. A proxy in front must allow ${container}.`)
    const said = checkForeign(v.object({ message: v.string() }), body)
    const why = said.success ? `: ${quoted(said.output.message)}` : ''
    throw hostUnavailable(`${host.name} answers ${status}${why}`)
  }

  async function look(): Promise<Inspected> {
    const { body, server } = await call('GET', 'json', limits.short)
    const read = checkForeign(inspected, body)
    if (!read.success || !Object.hasOwn(states, read.output.State.Status))
      throw hostUnavailable(`${host.name} does not answer as a Docker engine does. Check DOCKER_HOST.`)
    const isPodman = server.startsWith('Libpod')
    const { Tty, OpenStdin, StdinOnce } = read.output.Config
    // podman closes the input of a container without a terminal with the first client that leaves.
    canType = OpenStdin && !StdinOnce && (Tty || !isPodman)
    return read.output
  }

  /** Opens the log. @param query with the parameters that differ */
  async function readLog(
    query: string,
    heard: (line: StampedLine) => void,
    signal: AbortSignal,
    maxBytes = Number.POSITIVE_INFINITY,
  ) {
    const answer = await openCall(host, {
      method: 'GET',
      path: path(`logs?stdout=1&stderr=1&timestamps=1&${query}`),
      signal,
    })
    try {
      refuse(answer.statusCode ?? 0)
      const take = dockerLog(heard)
      let bytes = 0
      for await (const part of answer as AsyncIterable<Buffer>) {
        bytes += part.length
        if (bytes > maxBytes) throw hostUnavailable(`${host.name} sends more of the log than was asked for`)
        take(part)
      }
    } finally {
      answer.destroy()
    }
  }

  async function lastOfLog(lines: number): Promise<readonly StampedLine[]> {
    const over = AbortSignal.timeout(limits.long)
    const heard = lastLines<StampedLine>(lines)
    try {
      const signal = AbortSignal.any([over, closing.signal])
      await readLog(`tail=${lines}`, heard.add, signal, longestLog)
    } catch (error) {
      throw withoutAnswer(host, error, over.aborted ? limits.long : undefined)
    }
    return heard.all()
  }

  return {
    driver: 'docker',
    get can() {
      return { console: canType, log: true }
    },
    async inspect() {
      const { State } = await look()
      return processOf(State, { isStopping: stops > 0, stoppedRun })
    },
    async usage() {
      const { body } = await call('GET', 'stats?stream=false&one-shot=true', limits.short)
      const read = checkForeign(used, body)
      if (!read.success) return undefined
      const { cpu_stats: cpu, memory_stats: memory } = read.output
      return {
        cpuSeconds: cpu.cpu_usage.total_usage / 1e9,
        ...(cpu.online_cpus && { processors: cpu.online_cpus }),
        memory: cgroupMemory(memory.usage, memory.stats, memory.limit),
      }
    },
    async start() {
      await call('POST', 'start', limits.long)
    },
    async stop(graceSeconds) {
      stops += 1
      try {
        const { State } = await look()
        await call('POST', `stop?t=${graceSeconds}`, graceSeconds * 1000 + limits.long)
        stoppedRun = State.StartedAt
      } finally {
        stops -= 1
      }
    },
    async log(lines) {
      return (await lastOfLog(lines)).map(logLineOf)
    },
    follow(heard) {
      const position = logPosition()
      let isPrimed = false
      return keepFollowing(clock, closing.signal, async (signal) => {
        // Existing lines are counted, not delivered.
        if (!isPrimed) (await lastOfLog(2000)).forEach(position.reading())
        isPrimed = true
        const isNew = position.reading()
        await readLog(
          `follow=1&since=${position.since}`,
          (line) => {
            if (isNew(line) && !signal.aborted) heard(logLineOf(line))
          },
          signal,
        )
      })
    },
    async type(line) {
      const { State } = await look()
      if (!canType) throw noConsole
      if (states[State.Status] !== 'running') throw new FarmError({ kind: 'not_running' })
      let connection: Duplex | undefined
      const { status, body } = await callHost(
        host,
        {
          method: 'POST',
          path: path('attach?stream=1&stdin=1'),
          headers: { connection: 'Upgrade', upgrade: 'tcp' },
          upgraded: (opened) => {
            connection = opened
          },
        },
        limits.short,
      )
      if (connection === undefined) {
        refuse(status, body)
        throw hostUnavailable(
          `${host.name} does not open the console. A proxy in front must pass the upgrade.`,
        )
      }
      try {
        await typed(connection, line, clock)
      } catch (error) {
        throw withoutAnswer(host, error)
      } finally {
        connection.destroy()
      }
    },
    close: () => closing.abort(),
  }
}

const noConsole = farmgateCannot(
  "type at the game's console: its container has no open input. Create it with tty and stdin_open",
)

/** Writes a line, and waits a moment until the terminal shows it, so that it arrived before the connection ends. */
async function typed(connection: Duplex, line: string, clock: Clock): Promise<void> {
  const { promise: written, resolve, reject } = Promise.withResolvers<void>()
  connection.on('error', reject)
  connection.write(`${line}\n`, () => resolve())
  await withTimeLimit(limits.short, written, () => hostUnavailable('The console of the game takes no input'))
  await Promise.race([once(connection, 'data'), sleep(clock, echo)])
}

interface Stops {
  readonly isStopping: boolean
  readonly stoppedRun: string | undefined
}

function processOf(
  { Status, ExitCode, OOMKilled, StartedAt, FinishedAt, Health }: Inspected['State'],
  { isStopping, stoppedRun }: Stops,
): GameProcess {
  const state = states[Status]
  const run = { run: StartedAt }
  if (state === 'stopped') return { state }
  if (state !== undefined) {
    const shown = isStopping ? 'stopping' : Health?.Status === 'starting' ? 'starting' : state
    return { state: shown, ...since(StartedAt), ...run }
  }
  const isAsked = isStopping || StartedAt === stoppedRun || asked.includes(ExitCode)
  const isCrash = OOMKilled || (ExitCode !== 0 && !isAsked)
  // The engine starts it again after a wait that grows with each crash.
  if (Status === 'restarting' && !isCrash) return { state: 'starting', ...run }
  return { state: isCrash ? 'crashed' : 'stopped', ...since(FinishedAt), exitCode: ExitCode, ...run }
}

/** An engine writes the year 1 for a time that has not come yet. */
function since(time: string): { readonly since?: number } {
  const milliseconds = Date.parse(time)
  return milliseconds > 0 ? { since: milliseconds } : {}
}
