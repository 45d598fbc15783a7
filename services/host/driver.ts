/**
 * The host of the game's process, as `GAME_HOST` chooses it. A driver is one file, a line here, and its variables in
 * `host-variables.ts`.
 */
import type { GameHost } from '../../handlers/game-host.ts'
import { commandDriver } from './command-driver.ts'
import { dockerDriver } from './docker-driver.ts'
import type { Driver, DriverParts, HostVariables } from './host-variables.ts'
import { pelicanDriver } from './pelican-driver.ts'
import { systemdDriver } from './systemd-driver.ts'

type MakeDriver = (variables: HostVariables, parts: DriverParts) => GameHost

const makeDriver: Readonly<Record<Driver, MakeDriver>> = {
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
