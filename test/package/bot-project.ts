/**
 * The empty projects of a bot author and of an operator, into which the packed packages are installed as from a
 * registry.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startRegistry } from './registry.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

/** A package as npm packed it, installed in an empty project. */
interface InstalledPackage {
  readonly name: string
  /** The project, with its `node_modules`. */
  readonly folder: string
  /** The installed package in it. */
  readonly installed: string
  readonly tarball: string
}

export interface BotProject {
  /** `@farmgate/client`, next to `ws`, which Node 20 needs. */
  readonly client: InstalledPackage
  /** `farmgate`, the command line. */
  readonly commandLine: InstalledPackage
  /** Runs npm in an empty folder, with the registry on loopback; no other address is reachable. @returns its output */
  npm(folder: string, ...args: string[]): Promise<string>
  /** @returns an empty project */
  emptyProject(): Promise<string>
  /**
   * Runs a program of this repository's `node_modules` in the project of the client, on this process's Node. @returns
   * its output @throws {Error} with its output
   */
  tool(program: string, ...args: string[]): Promise<string>
  close(): Promise<void>
}

export async function botProject(): Promise<BotProject> {
  const home = await mkdtemp(join(tmpdir(), 'farmgate-package-'))
  const emptyProject = async () => {
    const folder = await mkdtemp(join(home, 'project-'))
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    return folder
  }
  const registry = await startRegistry(root)
  // An unserved proxy, for every address but the registry's.
  const nowhere = 'http://127.0.0.1:1'
  const loopbackOnly = ['--proxy', nowhere, '--https-proxy', nowhere, '--noproxy', '127.0.0.1']
  const own = ['--cache', join(home, 'cache'), '--userconfig', join(home, 'npmrc'), '--no-update-notifier']
  const npm = async (cwd: string, ...args: string[]) => {
    const all = [...args, '--registry', registry.url, ...loopbackOnly, ...own]
    const { stdout } = await run('npm', all, { cwd, shell: process.platform === 'win32', maxBuffer: 2 ** 24 })
    return stdout.trim()
  }
  await run('npm', ['run', '-s', 'build:package'], { cwd: root, shell: process.platform === 'win32' })
  const install = async (name: string, source: string, ...others: string[]): Promise<InstalledPackage> => {
    const folder = await emptyProject()
    const tarball = join(home, await npm(root, 'pack', source, '--silent', '--pack-destination', home))
    // Node 24, which runs the command line where the machine's own is older, is optional and takes 190 MB.
    const options = ['--no-audit', '--no-fund', '--omit=optional', '--ignore-scripts']
    await npm(folder, 'install', tarball, ...others, ...options)
    return { name, folder, tarball, installed: join(folder, 'node_modules', name) }
  }
  const client = await install('@farmgate/client', './dist-client', 'ws')
  return {
    client,
    commandLine: await install('farmgate', './dist'),
    npm,
    emptyProject,
    async tool(program, ...args) {
      const started = run(process.execPath, [join(root, 'node_modules', program), ...args], {
        cwd: client.folder,
      })
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
