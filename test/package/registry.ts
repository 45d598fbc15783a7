/** A registry on loopback with this repository's installed packages, so that no request goes to the internet. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'
import * as v from 'valibot'

const lockFile = v.object({
  packages: v.record(v.string(), v.looseObject({ version: v.optional(v.string()) })),
})

export interface Registry {
  readonly url: string
  close(): Promise<void>
}

/** @param root the folder with `package-lock.json` and `node_modules` */
export async function startRegistry(root: string): Promise<Registry> {
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
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
