/** The game as a unit of systemd 247 or newer (`GAME_HOST=systemd`). There is no console: a unit has no terminal. */
import { execFile, spawn } from 'node:child_process'
import * as v from 'valibot'
import { farmgateCannot } from '../../handlers/farm-error.ts'
import { type GameHost, type GameProcess, isGone } from '../../handlers/game-host.ts'
import type { LogLine } from '../../handlers/host-record.ts'
import { errorCode } from '../../lib/error-code.ts'
import { readJson } from '../../lib/json.ts'
import { hostUnavailable, quoted } from './host-unavailable.ts'
import type { DriverParts, HostVariables } from './host-variables.ts'
import { keepFollowing } from './keep-following.ts'
import { lineSplitter } from './lines.ts'

/** Milliseconds for a call with an immediate answer, and for one that waits for the unit or reads its log. */
const limits = { short: 4000, long: 30_000 }
/** Maximum of bytes of a program's output. */
const longestOutput = 64 * 1024 * 1024

const properties = [
  'LoadState',
  'ActiveState',
  'SubState',
  'Result',
  'ExecMainCode',
  'ExecMainStatus',
  'StateChangeTimestamp',
  'InvocationID',
] as const
type Unit = Readonly<Partial<Record<(typeof properties)[number], string>>>

const states: Readonly<Record<string, GameProcess['state']>> = {
  active: 'running',
  reloading: 'running',
  refreshing: 'running',
  activating: 'starting',
  deactivating: 'stopping',
  inactive: 'stopped',
  maintenance: 'stopped',
  failed: 'crashed',
}

/** A message with bytes that are not UTF-8 or not printable is a list of them, and one that was too long is null. */
const entry = v.object({
  __CURSOR: v.string(),
  __REALTIME_TIMESTAMP: v.pipe(v.string(), v.regex(/^\d{1,18}$/)),
  MESSAGE: v.nullish(v.union([v.string(), v.array(v.pipe(v.number(), v.integer()))])),
})

/** Texts for this program, and not for a person. */
const plain = { LC_ALL: 'C' }

export function systemdDriver({ GAME_UNIT = '' }: HostVariables, { clock, env }: DriverParts): GameHost {
  const environment = { ...env, ...plain }
  const unit = /\.[a-z]+$/.test(GAME_UNIT) ? GAME_UNIT : `${GAME_UNIT}.service`
  const closing = new AbortController()
  /** The run that farmgate stopped: its end does not mean a crash. */
  let stoppedRun: string | undefined

  /** @returns the program's output; undefined when it had not ended within the limit, in milliseconds */
  function run(program: string, args: readonly string[], limit: number): Promise<string | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
    const options = {
      env: environment,
      timeout: limit,
      killSignal: 'SIGKILL',
      maxBuffer: longestOutput,
      signal: closing.signal,
    } as const
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout)
      if (error.killed && error.signal === 'SIGKILL') return resolve(undefined)
      const why = stderr.trim().split('\n')[0] || errorCode(error) || `it ended with ${error.code}`
      reject(hostUnavailable(`${program} fails: ${quoted(why)}`))
    })
    return promise
  }

  async function systemctl(limit: number, ...args: readonly string[]): Promise<string> {
    const printed = await run('systemctl', ['--no-ask-password', '--no-pager', ...args, '--', unit], limit)
    if (printed === undefined) throw hostUnavailable(`systemctl did not end within ${limit / 1000} s`)
    return printed
  }

  async function look(): Promise<Unit> {
    const printed = await systemctl(
      limits.short,
      'show',
      '--timestamp=unix',
      `--property=${properties.join(',')}`,
    )
    const found: Unit = Object.fromEntries(
      [...printed.matchAll(/^([A-Za-z]+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    )
    if (found.LoadState === 'not-found')
      throw hostUnavailable(`systemd has no unit ${unit}. Check GAME_UNIT.`)
    if (states[found.ActiveState ?? ''] === undefined)
      throw hostUnavailable(`systemctl does not report the state of ${unit}`)
    return found
  }

  const journal = (...args: readonly string[]) => [
    ...['--quiet', '--no-pager', '--all', '--output=json', '--output-fields=MESSAGE', ...args],
    `_SYSTEMD_UNIT=${unit}`,
  ]

  async function lastEntries(lines: number) {
    const printed = await run('journalctl', journal(`--lines=${lines}`), limits.long)
    if (printed === undefined) throw hostUnavailable(`journalctl did not end within ${limits.long / 1000} s`)
    return printed.split('\n').flatMap((line) => entryOf(line) ?? [])
  }

  /** Follows the journal until journalctl ends. @param cursor of the last entry that was delivered */
  function followJournal(
    cursor: string | undefined,
    heard: (one: Entry) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const after = cursor === undefined ? [] : [`--after-cursor=${cursor}`]
    const child = spawn('journalctl', journal('--follow', '--no-tail', ...after), {
      env: environment,
      stdio: ['ignore', 'pipe', 'ignore'],
      signal,
    })
    const { push } = lineSplitter((line) => {
      const one = entryOf(line)
      if (one !== undefined && !signal.aborted) heard(one)
    })
    child.stdout.on('data', push)
    child.on('error', () => resolve())
    child.on('close', () => resolve())
    return promise
  }

  return {
    driver: 'systemd',
    can: { console: false, log: true },
    inspect: async () => processOf(await look(), stoppedRun),
    async start() {
      await systemctl(limits.long, 'start', '--no-block')
    },
    async stop(graceSeconds) {
      const { InvocationID } = await look()
      const args = ['--no-ask-password', 'stop', '--', unit]
      if ((await run('systemctl', args, graceSeconds * 1000)) === undefined) {
        await systemctl(limits.long, 'kill', '--signal=SIGKILL')
        await systemctl(limits.long, 'stop')
      }
      stoppedRun = InvocationID
    },
    async log(lines) {
      return (await lastEntries(lines)).flatMap(linesOf).slice(-lines)
    },
    follow(heard) {
      let cursor: string | undefined
      let isPrimed = false
      return keepFollowing(clock, closing.signal, async (signal) => {
        if (!isPrimed) cursor = (await lastEntries(1)).at(-1)?.__CURSOR
        isPrimed = true
        await followJournal(
          cursor,
          (one) => {
            cursor = one.__CURSOR
            linesOf(one).forEach(heard)
          },
          signal,
        )
      })
    },
    type: () => Promise.reject(noConsole),
    close: () => closing.abort(),
  }
}

const noConsole = farmgateCannot("type at the game's console: GAME_HOST=systemd has none")

type Entry = v.InferOutput<typeof entry>

function entryOf(line: string): Entry | undefined {
  const read = v.safeParse(entry, readJson(line))
  return read.success ? read.output : undefined
}

function linesOf({ __REALTIME_TIMESTAMP: microseconds, MESSAGE: message }: Entry): readonly LogLine[] {
  const text = Array.isArray(message) ? Buffer.from(message).toString() : (message ?? '')
  const at = new Date(Math.floor(Number(microseconds) / 1000)).toISOString()
  return text.split('\n').map((one) => ({ at, text: one }))
}

function processOf(unit: Unit, stoppedRun: string | undefined): GameProcess {
  const { ActiveState = '', SubState, Result, InvocationID } = unit
  const seconds = /^@(\d{1,11})$/.exec(unit.StateChangeTimestamp ?? '')?.[1]
  const run = InvocationID === undefined || InvocationID === '' ? {} : { run: InvocationID }
  const since = seconds === undefined ? {} : { since: Number(seconds) * 1000 }
  const state = states[ActiveState] ?? 'stopped'
  // Between a crash and the restart that `Restart=` asks for.
  const isWaiting = SubState === 'auto-restart' && Result !== 'success'
  if (!isGone(state) && !isWaiting) return { state, ...since, ...run }
  const isCrash = isWaiting || (state === 'crashed' && InvocationID !== stoppedRun)
  return { state: isCrash ? 'crashed' : 'stopped', ...since, ...exitCodeOf(unit), ...run }
}

/** `ExecMainCode` is 0 while nothing has ended, 1 after an exit, and 2 or 3 after a signal. */
function exitCodeOf({ ExecMainCode = '0', ExecMainStatus }: Unit): { readonly exitCode?: number } {
  const status = Number(ExecMainStatus)
  if (ExecMainCode === '0' || !Number.isSafeInteger(status)) return {}
  return { exitCode: ExecMainCode === '1' ? status : 128 + status }
}
