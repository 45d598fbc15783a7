/** The game's process, as plain types. A test compares them with the server's schemas. */

export interface HostLogLine {
  /** When it was printed, where the host says so. */
  at?: string
  text: string
}

/** The body of `startGame`, `stopGame` and `restartGame`. */
export interface HostRequest {
  /** `empty`: when no one is connected. `night`: after a day has been saved. `now` unless given. */
  when?: 'now' | 'empty' | 'night' | undefined
  /** Minutes before the stop at which connected players are warned, falling; 10, 5 and 1 unless given. */
  warnMinutes?: number[] | undefined
  /** Whether a backup is made before the stop, where backups are set up; true unless given. */
  backup?: boolean | undefined
  /** Neither a night that lasts five minutes nor a failed backup delays the stop; false unless given. */
  force?: boolean | undefined
  reason?: string | undefined
}

type OperationState =
  | 'waiting'
  | 'warning'
  | 'saving'
  | 'backing_up'
  | 'stopping'
  | 'starting'
  | 'checking'
  | 'succeeded'
  | 'failed'
  | 'cancelled'

export interface HostOperation {
  id: string
  action: 'start' | 'stop' | 'restart'
  when: 'now' | 'empty' | 'night'
  state: OperationState
  requestedAt: string
  endedAt?: string
  /** The key or account that asked for it, or `watchdog`. */
  by: { id: string; name: string }
  reason?: string
  /** Why it failed. */
  error?: string
  /** The last lines of the game's log when it failed, at most 20. */
  lines?: HostLogLine[]
  steps: { state: OperationState; at: string }[]
}

export interface GameHost {
  driver: 'docker' | 'systemd' | 'pelican' | 'command'
  /** `unknown`: the host of the game does not answer. */
  state: 'running' | 'starting' | 'stopping' | 'stopped' | 'crashed' | 'unknown'
  /** When this state began. */
  since?: string
  exitCode?: number
  /** Restarts by farmgate since midnight UTC. */
  restartsToday: number
  can: { console: boolean; log: boolean }
  watchdog: { mode: 'off' | 'notify' | 'restart'; restartsThisHour: number; gaveUpAt?: string }
  /** The current operation. */
  operation: HostOperation | null
}
