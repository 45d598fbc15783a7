/** A game in a container of podman, whose files are those of this machine, and the service that speaks Docker's API. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { engineProblem, missingPrograms } from '../../../deploy/images/engine.ts'
import { type Machine, startMachine } from '../../images/machine.ts'
import { eventually } from '../../wait.ts'

const repository = fileURLToPath(new URL('../../..', import.meta.url))
const mounts = ['/usr', '/lib', '/lib64', '/bin', '/sbin', repository, process.execPath].filter(existsSync)

/** @returns why podman cannot run containers here, or nothing */
export const podmanProblem = () =>
  engineProblem() ??
  missingPrograms([
    ['conmon', '--version', 'conmon'],
    ['nsenter', '--version', 'util-linux'],
    ['pgrep', '--version', 'procps'],
  ])

export interface Podman {
  readonly machine: Machine
  readonly socketPath: string
  /** Makes a container of the game and does not start it. @returns the folder in which it takes orders */
  create(name: string, ...options: readonly string[]): Promise<string>
  close(): Promise<void>
}

export async function startPodman(): Promise<Podman> {
  const machine = await startMachine()
  const root = join(machine.folder, 'root')
  for (const path of ['tmp', 'proc', 'sys', 'dev', 'etc']) mkdirSync(join(root, path), { recursive: true })
  const socketPath = join(machine.folder, 'podman.sock')
  const { program, args, env } = machine.command(
    'podman',
    'system',
    'service',
    '--time=0',
    `unix://${socketPath}`,
  )
  const service = spawn(program, args, { env, stdio: 'ignore' })
  await eventually(() => existsSync(socketPath))
  return {
    machine,
    socketPath,
    async create(name, ...options) {
      const folder = join(machine.folder, `game-${name}`)
      mkdirSync(folder)
      await machine.run(
        'podman',
        'create',
        `--name=${name}`,
        '--network=none',
        `--cgroup-parent=/${machine.cgroups}`,
        '--ulimit=nofile=1024:4096',
        '--ulimit=nproc=1024:4096',
        ...mounts.map((path) => `--volume=${path}:${path}:ro`),
        `--volume=${folder}:${folder}`,
        ...options,
        '--rootfs',
        root,
        process.execPath,
        fileURLToPath(new URL('game.ts', import.meta.url)),
        folder,
      )
      return folder
    },
    async close() {
      const ended = new Promise((resolve) => service.once('close', resolve))
      service.kill()
      await ended
      await machine.close()
    },
  }
}
