import type { HostDriver } from '../../handlers/host-record.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'

/** A program and its arguments; no shell. */
export type Command = readonly [program: string, ...args: string[]]

/** The variables of the drivers. */
export interface HostVariables {
  readonly GAME_HOST?: Driver | undefined
  readonly GAME_CONTAINER?: string | undefined
  readonly DOCKER_HOST?: string | undefined
  readonly GAME_UNIT?: string | undefined
  readonly PELICAN_URL?: string | undefined
  readonly PELICAN_KEY?: string | undefined
  readonly PELICAN_SERVER?: string | undefined
  readonly GAME_START?: Command | undefined
  readonly GAME_STOP?: Command | undefined
  readonly GAME_RUNNING?: Command | undefined
  /** A file. */
  readonly GAME_LOG?: string | undefined
}

/** The variables that each driver needs; a start without one of them exits with 78. */
export const neededBy = {
  docker: ['GAME_CONTAINER'],
  systemd: ['GAME_UNIT'],
  pelican: ['PELICAN_URL', 'PELICAN_KEY', 'PELICAN_SERVER'],
  command: ['GAME_START', 'GAME_STOP', 'GAME_RUNNING'],
} as const satisfies Readonly<Record<Driver, readonly (keyof HostVariables)[]>>

/** The simulated one belongs to the demo. */
export type Driver = Exclude<HostDriver, 'simulated'>

/** Every value of `GAME_HOST`. */
export const drivers = ['docker', 'systemd', 'pelican', 'command'] as const satisfies readonly Driver[]

export interface DriverParts {
  /** The environment of programs that a driver starts (`childEnvironment`). */
  readonly env: NodeJS.ProcessEnv
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
}
