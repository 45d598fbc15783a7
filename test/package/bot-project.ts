/** An empty project of a bot author, into which the packed package is installed as from a registry. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startRegistry } from './registry.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

export interface BotProject {
  readonly folder: string
  /** The package as it is installed in it. */
  readonly installed: string
  readonly tarball: string
  /** Runs npm in the project, with the registry on loopback; no other address can be reached. @returns what it prints */
  npm(...args: string[]): Promise<string>
  /**
   * Runs a program of this repository's `node_modules` in the project, on this process's Node.
   * @returns what it prints
   * @throws {Error} with what it printed
   */
  tool(program: string, ...args: string[]): Promise<string>
  close(): Promise<void>
}

export async function botProject(): Promise<BotProject> {
  const home = await mkdtemp(join(tmpdir(), 'farmgate-package-'))
  const folder = join(home, 'project')
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  const registry = await startRegistry(root)
  // A proxy that nobody serves, for every address but the registry's.
  const nowhere = 'http://127.0.0.1:1'
  const loopbackOnly = ['--proxy', nowhere, '--https-proxy', nowhere, '--noproxy', '127.0.0.1']
  const own = ['--cache', join(home, 'cache'), '--userconfig', join(home, 'npmrc'), '--no-update-notifier']
  const npm = async (cwd: string, args: readonly string[]) => {
    const all = [...args, '--registry', registry.url, ...loopbackOnly, ...own]
    const { stdout } = await run('npm', all, { cwd, shell: process.platform === 'win32', maxBuffer: 2 ** 24 })
    return stdout.trim()
  }
  await run('npm', ['run', '-s', 'build:package'], { cwd: root, shell: process.platform === 'win32' })
  const name = await npm(root, ['pack', './dist', '--silent', '--pack-destination', home])
  const tarball = join(home, name)
  // Node 24, with which the command line runs where the machine's own is older, is optional and takes 190 MB.
  await npm(folder, ['install', tarball, '--no-audit', '--no-fund', '--omit=optional', '--ignore-scripts'])
  return {
    folder,
    installed: join(folder, 'node_modules', 'farmgate'),
    tarball,
    npm: (...args) => npm(folder, args),
    async tool(program, ...args) {
      const started = run(process.execPath, [join(root, 'node_modules', program), ...args], { cwd: folder })
      return (
        await started.catch((error: { stdout?: unknown }) => {
          throw new Error(String(error.stdout), { cause: error })
        })
      ).stdout
    },
    async close() {
      await registry.close()
      await rm(home, { recursive: true, force: true })
    },
  }
}
