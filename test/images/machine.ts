/**
 * A separate machine for containers: namespaces for mounts, processes and network. Its programs reach neither this
 * machine's network nor the internet, its firewall rules and bridges are separate, and all of it ends with its first
 * process, which reads from the test's process until that has ended.
 */
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { engineEnvironment } from '../../deploy/images/engine.ts'

/** The result of a finished command. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Machine {
  /** A folder that ends with the machine. */
  readonly folder: string
  /** The folder of its containers' cgroups. */
  readonly cgroups: string
  /** The command that starts a program there, for a process with a terminal. */
  command(
    program: string,
    ...args: readonly string[]
  ): { program: string; args: string[]; env: Record<string, string> }
  /** Runs a program there to its end, with any exit code. */
  attempt(program: string, ...args: readonly string[]): Promise<Ended>
  /** The same, for its output. @throws with its output when it fails */
  run(program: string, ...args: readonly string[]): Promise<string>
  close(): Promise<void>
}

/** Runs in parallel to the machine and removes its leftovers, also when the test's process was killed. */
const supervise = `
trap : INT TERM HUP
unshare --mount --pid --net --fork --kill-child --mount-proc sh -c '
  mount -t tmpfs none /run && ip link set lo up && echo ready && exec cat >/dev/null'
rm -rf "$1"
find /sys/fs/cgroup -depth -type d -path "*/$2*" -exec rmdir {} + 2>/dev/null
exit 0`

/** @param imagesOf the folder of the engine that has built images; a machine without images has none */
export async function startMachine(imagesOf?: string): Promise<Machine> {
  const folder = mkdtempSync(join(tmpdir(), 'farmgate-machine-'))
  const cgroups = basename(folder)
  const env = engineEnvironment({
    folder: join(folder, 'engine'),
    ...(imagesOf !== undefined && { imagesOf }),
  })
  const supervisor = spawn('sh', ['-c', supervise, 'supervise', folder, cgroups], { env, detached: true })
  await ready(supervisor)
  const unshared = Number(await output('pgrep', ['--parent', String(supervisor.pid), 'unshare']))
  const inside = [
    '--target',
    String(unshared),
    '--mount',
    '--net',
    `--pid=/proc/${unshared}/ns/pid_for_children`,
  ]
  const command = (program: string, ...args: readonly string[]) => ({
    program: 'nsenter',
    args: [...inside, '--', program, ...args],
    env,
  })
  const attempt = (program: string, ...args: readonly string[]) => {
    const one = command(program, ...args)
    return new Promise<Ended>((resolve) => {
      execFile(one.program, one.args, { env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout: stdout.trim(), stderr }),
      )
    })
  }
  return {
    folder,
    cgroups,
    command,
    attempt,
    async run(program, ...args) {
      const { code, stdout, stderr } = await attempt(program, ...args)
      if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`)
      return stdout
    },
    async close() {
      // Removes the containers' cgroups, which only podman can do while they contain processes.
      await attempt('podman', 'rm', '--all', '--force', '--time=0')
      const closed = new Promise((resolve) => supervisor.once('close', resolve))
      supervisor.stdin.end()
      await closed
    },
  }
}

function ready(supervisor: ChildProcessWithoutNullStreams): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    supervisor.stderr.on('data', (text) => {
      said += text
    })
    supervisor.stdout.once('data', () => resolve())
    supervisor.once('close', () => reject(new Error(`the machine did not start: ${said}`)))
  })
}

const output = (program: string, args: readonly string[]) =>
  new Promise<string>((resolve, reject) =>
    execFile(program, args, (error, stdout) => (error === null ? resolve(stdout.trim()) : reject(error))),
  )
