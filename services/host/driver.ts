/** The host of the game's process, as `GAME_HOST` chooses it. A driver is one file, and one line here. */
import type { GameHost } from '../../handlers/game-host.ts'
import type { HostDriver } from '../../handlers/host-record.ts'
import { commandDriver } from './command-driver.ts'
import { dockerDriver } from './docker-driver.ts'
import type { DriverParts, HostVariables } from './host-variables.ts'
import { pelicanDriver } from './pelican-driver.ts'
import { systemdDriver } from './systemd-driver.ts'

/** The variables that each driver needs; a start without one of them exits with 78. */
export const neededBy = {
  docker: ['GAME_CONTAINER'],
  systemd: ['GAME_UNIT'],
  pelican: ['PELICAN_URL', 'PELICAN_KEY', 'PELICAN_SERVER'],
  command: ['GAME_START', 'GAME_STOP', 'GAME_RUNNING'],
} as const satisfies Readonly<Record<HostDriver, readonly (keyof HostVariables)[]>>

type MakeDriver = (variables: HostVariables, parts: DriverParts) => GameHost

/** Every value of `GAME_HOST`. */
export const drivers = ['docker', 'systemd', 'pelican', 'command'] as const satisfies readonly HostDriver[]

const makeDriver: Readonly<Record<HostDriver, MakeDriver>> = {
  docker: dockerDriver,
  systemd: systemdDriver,
  pelican: pelicanDriver,
  command: commandDriver,
}

/** @returns undefined without `GAME_HOST` */
export function hostOf(variables: HostVariables, parts: DriverParts): GameHost | undefined {
  const { GAME_HOST: chosen } = variables
  return chosen && makeDriver[chosen](variables, parts)
}
