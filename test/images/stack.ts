/** The services of compose.yaml as containers of podman. The game server is the stand-in. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ComposeService, composeWith } from '../compose.ts'
import { eventually } from '../wait.ts'
import type { Ended, Machine } from './machine.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
export const base = 'docker.io/library/node:24-slim'
type Name = 'game' | 'prepare' | 'ticket' | 'api'

/** Additions of a container to compose.yaml. */
interface Additions {
  readonly name?: string
  readonly options?: readonly string[]
  readonly command?: readonly string[]
}

export interface Stack {
  /** Arguments of `podman run` for a service, as Compose would start it. */
  arguments(name: Name, additions?: Additions): string[]
  /** Starts a service in the background. */
  up(name: Name, additions?: Additions): Promise<void>
  /** Runs a command in the container of a service. */
  exec(name: Name, ...command: readonly string[]): Promise<Ended>
  /** Runs the image's own check, as the engine does at each interval. @returns the state that the engine concludes */
  health(name: Name): Promise<string>
  /** Waits until a service is healthy. */
  healthy(name: Name): Promise<void>
}

/** Repeats a check that starts containers' programs, which need much of the processor that the containers need. */
export const untilOnMachine = <T>(check: () => Promise<T>): Promise<T> => eventually(check, 60_000, 400)

/** @param env the content of `.env` */
export async function openStack(
  machine: Machine,
  images: { readonly api: string; readonly ticket: string },
  env: Readonly<Record<string, string>>,
): Promise<Stack> {
  const folders = {
    SETTINGS_FOLDER: 'settings',
    MODS_FOLDER: 'mods',
    SECRETS_FOLDER: 'secrets',
    BACKUPS_FOLDER: 'backups',
    DIAGNOSTICS_FOLDER: 'diagnostics',
  }
  const here = Object.fromEntries(
    Object.entries(folders).map(([name, folder]) => [name, join(machine.folder, folder)]),
  )
  for (const folder of ['settings', 'mods', 'backups', 'diagnostics', 'secrets/api', 'secrets/ticket'])
    mkdirSync(join(machine.folder, folder), { recursive: true })
  const project = env['COMPOSE_PROJECT_NAME'] ?? 'farmgate'
  const { services, volumes, networks } = composeWith({ ...here, ...env })
  const full = (name: string) => `${project}_${name}`
  for (const name of Object.keys(networks).map(full)) {
    const { code } = await machine.attempt('podman', 'network', 'exists', name)
    if (code !== 0) await machine.run('podman', 'network', 'create', name)
  }

  const mount = (text: string) => {
    const [from = '', ...rest] = text.split(':')
    const source = from in volumes ? (volumes[from]?.name ?? full(from)) : from
    return [source, ...rest].join(':')
  }
  const standIn = {
    image: base,
    options: [
      `--volume=${root}:/repository:ro`,
      `--volume=${root}/test/images/stand-ins/init:/init:ro`,
      `--entrypoint=${JSON.stringify(services.game.entrypoint)}`,
    ],
    command: [],
  }
  const networksOf = ({ network_mode, networks: own }: ComposeService, name: Name) =>
    network_mode === undefined
      ? [`--network=${own.map(full).join(',')}`, `--network-alias=${name}`]
      : [`--network=${network_mode}`]
  const what = (name: Name) => {
    if (name === 'game') return standIn
    if (name !== 'prepare') return { image: images[name], options: [], command: [] }
    const { command } = services.prepare
    return { image: base, options: [], command: Array.isArray(command) ? command : [command] }
  }

  const stack: Stack = {
    arguments(name, { name: container = name, options = [], command } = {}) {
      const own = what(name)
      return [
        `--name=${container}`,
        `--cgroup-parent=/${machine.cgroups}`,
        ...limits(services[name]),
        ...networksOf(services[name], name),
        ...Object.entries(services[name].environment).map(([key, value]) => `--env=${key}=${value}`),
        ...services[name].volumes.map((text) => `--volume=${mount(text)}`),
        ...own.options,
        ...options,
        own.image,
        ...(command ?? own.command),
      ]
    },
    async up(name, additions) {
      const { ports, restart } = services[name]
      if (name !== 'game') await machine.run('podman', 'run', '--rm', ...stack.arguments('prepare'))
      const published = ports.map((port) => `--publish=${port}`)
      await machine.run(
        'podman',
        'run',
        '--detach',
        `--restart=${restart}`,
        ...published,
        ...stack.arguments(name, additions),
      )
    },
    exec: (name, ...command) => machine.attempt('podman', 'exec', name, ...command),
    async health(name) {
      await machine.attempt('podman', 'healthcheck', 'run', name)
      return machine.run('podman', 'inspect', '--format={{.State.Health.Status}}', name)
    },
    async healthy(name) {
      const isHealthy = async () => (await machine.attempt('podman', 'healthcheck', 'run', name)).code === 0
      await untilOnMachine(isHealthy).catch(async () => {
        const { stdout, stderr } = await machine.attempt('podman', 'logs', name)
        throw new Error(`${name} is not healthy:\n${stdout}${stderr}`)
      })
    },
  }
  return stack
}

/** Once a service sets a limit, podman sets these too, to more than a process outside of systemd can grant. */
const engineLimits = { nofile: '1024:4096', nproc: '1024:4096' }

function limits(service: ComposeService): string[] {
  const {
    user,
    read_only,
    tmpfs,
    cap_drop,
    cap_add,
    security_opt,
    mem_limit,
    pids_limit,
    ulimits,
    tty,
    stdin_open,
  } = service
  return [
    ...(user === undefined ? [] : [`--user=${user}`]),
    // Docker gives a read-only container no writable folder, and podman does.
    ...(read_only ? ['--read-only', '--read-only-tmpfs=false'] : []),
    ...tmpfs.map((path) => `--tmpfs=${path}`),
    ...(cap_drop ?? []).map((name) => `--cap-drop=${name}`),
    // A container inside another one can neither set the clock nor get the right to.
    ...cap_add.filter((name) => name !== 'SYS_TIME').map((name) => `--cap-add=${name}`),
    ...(security_opt ?? []).map((option) => `--security-opt=${option.replace(/:true$/, '')}`),
    ...(mem_limit === undefined ? [] : [`--memory=${mem_limit}`]),
    ...(pids_limit === undefined ? [] : [`--pids-limit=${pids_limit}`]),
    ...Object.entries({ ...engineLimits, ...ulimits }).map(([name, value]) => `--ulimit=${name}=${value}`),
    ...(tty ? ['--tty'] : []),
    ...(stdin_open ? ['--interactive'] : []),
  ]
}
