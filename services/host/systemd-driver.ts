/** The game as a unit of systemd 247 or newer (`GAME_HOST=systemd`). There is no console: a unit has no terminal. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import { FarmError, farmgateCannot } from '../../handlers/farm-error.ts'
import { type GameHost, type GameProcess, type GameUsage, isGone } from '../../handlers/game-host.ts'
import type { LogLine } from '../../handlers/host-record.ts'
import { errorCode } from '../../lib/error-code.ts'
import { readForeign } from '../../lib/foreign/read.ts'
import { cgroupMemory } from './cgroup-memory.ts'
import { hostUnavailable, quoted } from './host-unavailable.ts'
import type { DriverParts, HostVariables } from './host-variables.ts'
import { keepFollowing } from './keep-following.ts'
import { lastLines, lineSplitter, longestLine } from './lines.ts'

/** Milliseconds for a call with an immediate answer, and for one that waits for the unit or reads its log. */
const limits = { short: 4000, long: 30_000 }
/** Maximum of bytes of the output of systemctl. */
const longestOutput = 1024 * 1024
/** Units of an entry that are read. A byte of a message can be a number of three digits in it. */
const longestEntry = 8 * longestLine
/** KiB of memory for the data of journalctl, which makes the whole of a message, however long the game wrote it. */
const journalMemory = 256 * 1024

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
/** Of the unit's control group. */
const cgroups = '/sys/fs/cgroup'

type Unit = Readonly<Partial<Record<(typeof properties)[number], string>>>

const states: ReadonlyMap<string | undefined, GameProcess['state']> = new Map([
  ['active', 'running'],
  ['reloading', 'running'],
  ['refreshing', 'running'],
  ['activating', 'starting'],
  ['deactivating', 'stopping'],
  ['inactive', 'stopped'],
  ['maintenance', 'stopped'],
  ['failed', 'crashed'],
])

const isBytes = (value: unknown) => Array.isArray(value) && value.every(Number.isInteger)

/** A message with bytes that are not UTF-8 or not printable is a list of them, and without `--all` one of more than 4 kB is null. */
const entry = v.object({
  __CURSOR: v.string(),
  __REALTIME_TIMESTAMP: v.pipe(v.string(), v.regex(/^\d{1,18}$/)),
  MESSAGE: v.nullish(v.union([v.string(), v.custom<number[]>(isBytes)])),
})

/** Other members may come after the message, in which it was cut. */
const cutEntry = v.partial(entry)

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
    if (!states.has(found.ActiveState))
      throw hostUnavailable(`systemctl does not report the state of ${unit}`)
    return found
  }

  /**
   * Reads entries of the journal until journalctl ends.
   * @param of `all` with messages of more than 4 kB; its memory does not suffice for every one of them
   * @throws {FarmError} host_unavailable when it fails, or the reason of the signal
   */
  async function readJournal(
    of: 'all' | 'short',
    args: readonly string[],
    heard: (one: Entry) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const all = [
      ...['--quiet', '--no-pager', '--output=json', '--output-fields=MESSAGE', ...args],
      ...(of === 'all' ? ['--all'] : []),
      `_SYSTEMD_UNIT=${unit}`,
    ]
    // A child that is started then ends this process with an error that nothing awaits.
    signal.throwIfAborted()
    const limited = `ulimit -S -d ${journalMemory}; exec journalctl "$@"`
    const child = spawn('/bin/sh', ['-c', limited, 'sh', ...all], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
      killSignal: 'SIGKILL',
    })
    const entries = lineSplitter((line) => {
      const one = entryOf(line)
      if (one !== undefined && !signal.aborted) heard(one)
    }, longestEntry)
    let why: string | undefined
    const errors = lineSplitter((text) => {
      why ??= text
    })
    child.stdout.on('data', entries.push)
    child.stderr.on('data', errors.push)
    const [code] = await once(child, 'close', { signal })
    entries.end()
    errors.end()
    if (code === 0) return
    throw hostUnavailable(`journalctl fails: ${quoted(why ?? `it ended with ${code}`)}`)
  }

  /** @returns the last lines, and the cursor of the last entry */
  async function lastOfJournal(lines: number) {
    const over = AbortSignal.timeout(limits.long)
    const signal = AbortSignal.any([over, closing.signal])
    const read = async (of: 'all' | 'short') => {
      const heard = lastLines<LogLine>(lines)
      let cursor: string | undefined
      await readJournal(
        of,
        [`--lines=${lines}`],
        (one) => {
          cursor = one.__CURSOR ?? cursor
          linesOf(one).forEach(heard.add)
        },
        signal,
      )
      return { lines: heard.all(), cursor }
    }
    try {
      return await read('all').catch((error: unknown) => {
        signal.throwIfAborted()
        if (error instanceof FarmError) return read('short')
        throw error
      })
    } catch (error) {
      if (over.aborted) throw hostUnavailable(`journalctl did not end within ${limits.long / 1000} s`)
      throw error instanceof FarmError ? error : hostUnavailable(`journalctl fails: ${errorCode(error)}`)
    }
  }

  return {
    driver: 'systemd',
    can: { console: false, log: true },
    inspect: async () => processOf(await look(), stoppedRun),
    async usage() {
      const shown = await systemctl(limits.short, 'show', '--value', '--property=ControlGroup')
      const group = shown.trim()
      return group === '' ? undefined : cgroupUsage(join(cgroups, group))
    },
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
      return (await lastOfJournal(lines)).lines
    },
    follow(heard) {
      let cursor: string | undefined
      let isPrimed = false
      return keepFollowing(clock, closing.signal, async (signal) => {
        if (!isPrimed) cursor = (await lastOfJournal(1)).cursor
        isPrimed = true
        const take = (one: Entry) => {
          cursor = one.__CURSOR ?? cursor
          linesOf(one).forEach(heard)
        }
        const next = () => (cursor === undefined ? [] : [`--after-cursor=${cursor}`])
        await readJournal('all', ['--follow', '--no-tail', ...next()], take, signal).catch(() =>
          // Only past the message that ended it: what the game prints later is shown whole.
          readJournal('short', next(), take, signal),
        )
      })
    },
    type: () => Promise.reject(noConsole),
    close: () => closing.abort(),
  }
}

const noConsole = farmgateCannot("type at the game's console: GAME_HOST=systemd has none")

type Entry = v.InferOutput<typeof cutEntry>

function entryOf(line: string): Entry | undefined {
  return line.length < longestEntry ? readForeign(entry, line) : readForeign(cutEntry, closed(line))
}

/** Ends an entry that was cut within its message, a text or a list of bytes. */
const closed = (line: string): string =>
  /"MESSAGE" ?: ?"/.test(line)
    ? `${line.replace(/\\+(u[\da-f]{0,3})?$/i, '')}"}`
    : `${line.replace(/,?\s*\d*$/, '')}]}`

function linesOf({ __REALTIME_TIMESTAMP: microseconds, MESSAGE: message }: Entry): readonly LogLine[] {
  const text = Array.isArray(message) ? Buffer.from(message).toString() : (message ?? '')
  const at = microseconds && new Date(Math.floor(Number(microseconds) / 1000)).toISOString()
  return text.split('\n').map((one) => ({ ...(at !== undefined && { at }), text: one }))
}

function processOf(unit: Unit, stoppedRun: string | undefined): GameProcess {
  const { ActiveState = '', SubState, Result, InvocationID } = unit
  const seconds = /^@(\d{1,11})$/.exec(unit.StateChangeTimestamp ?? '')?.[1]
  const run = InvocationID === undefined || InvocationID === '' ? {} : { run: InvocationID }
  const since = seconds === undefined ? {} : { since: Number(seconds) * 1000 }
  const state = states.get(ActiveState) ?? 'stopped'
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

/** @param folder of a control group, version 2 @throws the error of the file system */
async function cgroupUsage(folder: string): Promise<GameUsage> {
  const [cpu = '', memory = '', current, max] = await Promise.all(
    ['cpu.stat', 'memory.stat', 'memory.current', 'memory.max'].map((name) =>
      readFile(join(folder, name), 'utf8'),
    ),
  )
  const limit = Number(max)
  return {
    cpuSeconds: Number(countersIn(cpu)['usage_usec']) / 1e6,
    memory: cgroupMemory(Number(current), countersIn(memory), Number.isNaN(limit) ? undefined : limit),
  }
}

const countersIn = (text: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...text.matchAll(/^(\w+) (\d+)$/gm)].map(([, name = '', count]) => [name, Number(count)]),
  )
