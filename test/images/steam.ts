/** A stand-in for Steam on the services' network, and what the ticket service needs to reach it. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { eventually } from '../wait.ts'
import type { Machine } from './machine.ts'
import { base } from './stack.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** For `.env`. */
export const steamProxy = 'http://steam:3128'

/**
 * Starts it on a network of the services. @returns options of `podman run` that make the ticket service trust its
 * certificate, as in docs/ticket-service.md, a refresh token of the account, and functions that stop and continue its
 * downloads and approve a sign-in on the account's phone
 */
export async function startSteam(machine: Machine, network: string) {
  const shared = join(machine.folder, 'steam')
  mkdirSync(shared)
  await machine.run(
    'podman',
    'run',
    '--detach',
    '--name=steam',
    `--cgroup-parent=/${machine.cgroups}`,
    `--network=${network}`,
    '--network-alias=steam',
    `--volume=${root}:/repository:ro`,
    `--volume=${shared}:/shared`,
    base,
    'node',
    '/repository/test/images/stand-ins/steam.ts',
  )
  await eventually(() => existsSync(join(shared, 'ca.pem'))).catch(async () => {
    throw new Error((await machine.attempt('podman', 'logs', 'steam')).stderr)
  })
  return {
    trust: [`--volume=${shared}:/etc/steam:ro`, '--env=NODE_EXTRA_CA_CERTS=/etc/steam/ca.pem'],
    token: readFileSync(join(shared, 'token'), 'utf8'),
    hold: () => writeFileSync(join(shared, 'hold'), ''),
    release: () => rmSync(join(shared, 'hold')),
    approve: () => machine.run('podman', 'kill', '--signal=USR2', 'steam'),
  }
}
