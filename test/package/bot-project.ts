/**
 * The empty projects of a bot author and of an operator, into which the packed packages are installed as from a
 * registry.
 */

import { execFile, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import * as v from 'valibot'
import { listening } from '../listening.ts'

const lockFile = v.object({
  packages: v.record(v.string(), v.looseObject({ version: v.optional(v.string()) })),
})

interface Registry {
  readonly url: string
  close(): Promise<void>
}

/** @param root the folder with `package-lock.json` and `node_modules` */
async function startRegistry(root: string): Promise<Registry> {
  const { packages } = v.parse(lockFile, JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')))
  /** The folders of a package, also those of other platforms. */
  const placesOf = (name: string) =>
    Object.keys(packages).filter((place) => place.endsWith(`node_modules/${name}`))
  const manifestOf = (place: string): Record<string, unknown> => {
    const file = join(root, place, 'package.json')
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { ...packages[place] }
  }
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '')
    if (path.startsWith('/tar/')) {
      const folder = join(root, path.slice('/tar/'.length))
      const args = ['-cf', '-', '--exclude=node_modules', '-C', dirname(folder), basename(folder)]
      spawn('tar', args, { stdio: ['ignore', 'pipe', 'inherit'] }).stdout.pipe(response)
      return
    }
    const name = path.slice(1)
    const versions = placesOf(name).map((place) => {
      const manifest = { ...manifestOf(place), name, dist: { tarball: `${url}/tar/${place}` } }
      return [String(packages[place]?.version), manifest] as const
    })
    if (versions.length === 0) response.writeHead(404)
    response.end(
      JSON.stringify({
        name,
        'dist-tags': { latest: versions[0]?.[0] },
        versions: Object.fromEntries(versions),
      }),
    )
  })
  const url = `http://127.0.0.1:${await listening(server)}`
  return {
    url,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

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
  const packed = await npm(root, 'pack', './dist-client', './dist', '--silent', '--pack-destination', home)
  const [clientFile = '', commandLineFile = ''] = packed.split('\n')
  const install = async (name: string, file: string, ...others: string[]): Promise<InstalledPackage> => {
    const folder = await emptyProject()
    const tarball = join(home, file)
    // Node 24, which runs the command line where the machine's own is older, is optional and takes 190 MB.
    const options = ['--no-audit', '--no-fund', '--omit=optional', '--ignore-scripts']
    await npm(folder, 'install', tarball, ...others, ...options)
    return { name, folder, tarball, installed: join(folder, 'node_modules', name) }
  }
  const client = await install('@farmgate/client', clientFile, 'ws')
  return {
    client,
    commandLine: await install('farmgate', commandLineFile),
    npm,
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
