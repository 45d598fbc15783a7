/**
 * The port to the host of the game's process: a container engine, systemd, a panel or commands (`GAME_HOST`). It has
 * no policy: `services/host/` decides when to call it. Every rejection is a `FarmError`: `host_unavailable` where the
 * host does not answer.
 */
import type { HostDriver, LogLine } from './host-record.ts'

/** What the host reports of the game's process. */
export interface GameProcess {
  /** `crashed`: it ended with an exit code other than 0, by a signal, or for lack of memory, and not on request. */
  readonly state: 'running' | 'starting' | 'stopping' | 'stopped' | 'crashed'
  /** When this state began, milliseconds since 1970, where the host reports it. */
  readonly since?: number
  /** Of a process that has ended, where the host reports it; 128 + n after signal n. */
  readonly exitCode?: number
  /** Differs between one start of the process and the next, where the host can distinguish them. */
  readonly run?: string
}

/** What the game uses, as its host reports it. */
export interface GameUsage {
  /** Seconds of processor time since its start. */
  readonly cpuSeconds?: number
  /** Processors that it uses now, for a host that reports no time: 0.5 is half of one. */
  readonly coresNow?: number
  /** Of the game's machine; those of farmgate's unless given. */
  readonly processors?: number
  /** Bytes, without the page cache. */
  readonly memory: { readonly used: number; readonly limit?: number }
}

export const isGone = (state: GameProcess['state'] | 'unknown'): boolean =>
  state === 'stopped' || state === 'crashed'

export interface GameHost {
  readonly driver: HostDriver
  readonly can: { readonly console: boolean; readonly log: boolean }
  inspect(): Promise<GameProcess>
  /** @returns undefined while the game does not run, and where the host does not report it */
  usage(): Promise<GameUsage | undefined>
  /** Idempotent. @returns when the host has begun to start it */
  start(): Promise<void>
  /**
   * Asks the process to end, and kills it after the grace. Idempotent.
   * @returns when it has ended
   */
  stop(graceSeconds: number): Promise<void>
  /** The last lines, oldest first, as the game printed them. @throws {FarmError} unsupported */
  log(lines: number): Promise<readonly LogLine[]>
  /**
   * Follows the log from now on, over restarts of the game and of the host, until the returned function is called.
   * @param heard called with each line, as the game printed it
   */
  follow(heard: (line: LogLine) => void): () => void
  /** Types one line at the game's console. @throws {FarmError} not_running, unsupported, host_unavailable */
  type(line: string): Promise<void>
  close(): void
}
