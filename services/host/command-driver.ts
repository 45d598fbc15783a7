/** The game's process behind three commands (`GAME_HOST=command`), and its log in a file. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { FarmError, farmgateCannot } from '../../handlers/farm-error.ts'
import type { GameHost } from '../../handlers/game-host.ts'
import { errorCode } from '../../lib/error-code.ts'
import { becomesTrue } from './becomes-true.ts'
import { fileLog } from './file-log.ts'
import { hostUnavailable } from './host-unavailable.ts'
import type { Command, DriverParts, HostVariables } from './host-variables.ts'
import { processUsage } from './process-usage.ts'

/** Milliseconds for `GAME_RUNNING`, and after which a `GAME_START` that still runs is the game itself. */
const lookLimit = 5_000
/** Maximum of bytes that are kept of what GAME_RUNNING prints. */
const longestOutput = 64 * 1024
/** Milliseconds between two checks whether the game has ended. */
const lookEvery = 250

export function commandDriver(variables: HostVariables, { clock, env }: DriverParts): GameHost {
  const { GAME_START: start, GAME_STOP: stop, GAME_RUNNING: running, GAME_LOG: path } = variables
  if (start === undefined || stop === undefined || running === undefined)
    throw new Error('GAME_START, GAME_STOP and GAME_RUNNING are needed')
  const log = path === undefined ? undefined : fileLog(path, clock)
  const closed = new AbortController()

  /**
   * @param hear called with what it prints, which is otherwise discarded
   * @returns the exit code; undefined when it has not ended in time
   * @throws {FarmError} host_unavailable
   */
  async function run(
    name: string,
    [program, ...args]: Command,
    limit: number,
    hear?: (output: Buffer) => void,
  ): Promise<number | undefined> {
    // In a separate process group: a Ctrl-C that ends farmgate does not end a game that farmgate started.
    const stdout = hear === undefined ? 'ignore' : 'pipe'
    const child = spawn(program, args, { stdio: ['ignore', stdout, 'ignore'], detached: true, env })
    child.unref()
    if (hear !== undefined) child.stdout?.on('data', hear)
    const over = AbortSignal.any([AbortSignal.timeout(limit), closed.signal])
    try {
      const [code, signal] = await once(child, hear === undefined ? 'exit' : 'close', { signal: over })
      if (typeof code === 'number') return code
      throw hostUnavailable(`${name} was ended by ${String(signal)}`)
    } catch (error) {
      if (error instanceof FarmError) throw error
      // A GAME_START that still runs is the game itself.
      if (over.aborted && !closed.signal.aborted && name !== 'GAME_START') endGroup(child.pid)
      if (over.aborted) return undefined
      throw hostUnavailable(`${name} cannot be run (${errorCode(error) ?? 'unknown cause'})`)
    } finally {
      child.stdout?.destroy()
    }
  }

  const isRunning = async (): Promise<boolean> => {
    const code = await run('GAME_RUNNING', running, lookLimit)
    if (code === undefined) throw hostUnavailable('GAME_RUNNING did not end in time')
    return code === 0
  }

  return {
    driver: 'command',
    can: { console: false, log: log !== undefined },
    inspect: async () => ({ state: (await isRunning()) ? 'running' : 'stopped' }),
    async usage() {
      let output = ''
      const code = await run('GAME_RUNNING', running, lookLimit, (more) => {
        output = (output + more.toString('latin1')).slice(0, longestOutput)
      })
      const [, pid] = /^\s*([1-9]\d{0,9})\s*(?:\n|$)/.exec(output) ?? []
      return code !== 0 || pid === undefined ? undefined : processUsage(pid)
    },
    async start() {
      if (await isRunning()) return
      const code = await run('GAME_START', start, lookLimit)
      if (code !== undefined && code !== 0) throw hostUnavailable(`GAME_START ended with exit code ${code}`)
    },
    async stop(graceSeconds) {
      if (!(await isRunning())) return
      const end = clock.monotonic() + graceSeconds * 1000
      const code = await run('GAME_STOP', stop, graceSeconds * 1000)
      const isOver = async () => !(await isRunning())
      if (await becomesTrue(clock, isOver, end - clock.monotonic(), lookEvery, closed.signal)) return
      throw hostUnavailable(
        code === 0 || code === undefined
          ? `The game still runs ${graceSeconds} s after GAME_STOP`
          : `GAME_STOP ended with exit code ${code}, and the game still runs`,
      )
    },
    async log(lines) {
      if (log === undefined) throw noLog
      return log.last(lines)
    },
    follow: (heard) => log?.follow(heard) ?? (() => undefined),
    type: () => Promise.reject(farmgateCannot("type at the game's console: GAME_HOST=command has none")),
    close() {
      closed.abort()
      log?.close()
    },
  }
}

/** Ends a command that did not end in time, with what it has started. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
}

const noLog = farmgateCannot("read the game's log. Set GAME_LOG to its file")
