/**
 * podman with separate settings and storage, so that it touches none of the machine's images and containers. Its
 * mounts are in a mount namespace of each command and end with it.
 */
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A program, the option that only prints its version, and its package of Debian. */
export type Needed = readonly [program: string, option: string, debianPackage: string]

const needed: readonly Needed[] = [
  ['podman', '--version', 'podman'],
  ['runc', '--version', 'runc'],
  ['unshare', '--version', 'util-linux'],
  ['mmdebstrap', '--version', 'mmdebstrap'],
]

/** @returns which of the programs this machine lacks and how to install them; undefined for none */
export function missingPrograms(programs: readonly Needed[]): string | undefined {
  const missing = programs.filter(([program, option]) => spawnSync(program, [option]).status !== 0)
  const names = missing.map(([program]) => program).join(', ')
  const packages = missing.map(([, , debianPackage]) => debianPackage).join(' ')
  return missing.length === 0 ? undefined : `not installed: ${names} (Debian: apt-get install ${packages})`
}

/** @returns why this machine cannot build images; undefined when it can */
export function engineProblem(): string | undefined {
  if (process.platform !== 'linux')
    return `this is ${process.platform}, and podman without a registry needs Linux`
  if (process.getuid?.() !== 0) return 'only root can build the base'
  const missing = missingPrograms(needed)
  if (missing !== undefined) return missing
  const made = spawnSync('unshare', ['--mount', '--net', '--pid', '--fork', 'true'])
  if (made.status !== 0) return `namespaces cannot be made here: ${made.stderr}`.trim()
  return undefined
}

/** The folders of an engine. */
export interface EngineFolders {
  /** Settings, images and containers. */
  readonly folder: string
  /** Storage of another engine whose images can be used, and are not changed. */
  readonly imagesOf?: string
}

/**
 * Writes the settings of podman into a folder.
 * @returns the environment in which podman uses them
 */
export function engineEnvironment({ folder, imagesOf }: EngineFolders): Record<string, string> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const at = (name: string) => join(folder, name)
  writeFileSync(
    at('containers.conf'),
    `[engine]
cgroup_manager = "cgroupfs"
events_logger = "none"
runtime = "runc"
tmp_dir = "${at('tmp')}"
[containers]
# The defaults of podman can be above what this process may give.
default_ulimits = ["nofile=1024:4096", "nproc=1024:4096"]
[network]
network_backend = "netavark"
network_config_dir = "${at('networks')}"
`,
  )
  const others = imagesOf === undefined ? '' : `additionalimagestores = ["${storageOf(imagesOf)}"]`
  writeFileSync(
    at('storage.conf'),
    `[storage]
driver = "overlay"
graphroot = "${storageOf(folder)}"
runroot = "${at('run')}"
[storage.options]
${others}
`,
  )
  writeFileSync(at('registries.conf'), 'unqualified-search-registries = []\n')
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '/root',
    CONTAINERS_CONF: at('containers.conf'),
    CONTAINERS_STORAGE_CONF: at('storage.conf'),
    CONTAINERS_REGISTRIES_CONF: at('registries.conf'),
    // Without this podman makes a timer of systemd for each health check. The tests run the checks themselves.
    DISABLE_HC_SYSTEMD: 'true',
  }
}

const storageOf = (folder: string) => join(folder, 'storage')

/** Runs a command to its end. @returns its output @throws with its error output when it fails */
export type Run = (program: string, ...args: readonly string[]) => Promise<string>

/** @returns how to run commands with the engine of a folder */
export function openEngine(folders: EngineFolders): Run {
  const env = engineEnvironment(folders)
  return async (program, ...args) => {
    const { stdout } = await promisify(execFile)('unshare', ['--mount', program, ...args], {
      env,
      maxBuffer: 64 * 1024 * 1024,
    })
    return stdout.trim()
  }
}
