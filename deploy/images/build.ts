/** Builds both images from the Dockerfiles of the repository, on a machine that reaches no registry of images. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeBase } from './base.ts'
import { openEngine, type Run } from './engine.ts'

/** The folder that keeps base image, layers and npm packages between builds. It may be deleted at any time. */
export const cacheFolder = fileURLToPath(new URL('../../node_modules/.cache/images', import.meta.url))

/** Image and Dockerfile, by the name of the service in compose.yaml. */
const dockerfiles = { api: 'Dockerfile', ticket: 'ticket/Dockerfile' } as const
export type Service = keyof typeof dockerfiles

/**
 * Certificates that this machine trusts in addition to those of Node: a proxy of the network may sign with one of
 * them.
 */
const authorities = '/etc/ssl/certs/ca-certificates.crt'

/**
 * Builds the image of a service.
 * @param context the folder of the repository, or a copy of it
 * @returns its id
 */
async function build(
  run: Run,
  service: Service,
  context: string,
  mounts: readonly string[],
): Promise<string> {
  const printed = await run(
    'podman',
    'build',
    '--quiet',
    // Docker's format, because the OCI format has no HEALTHCHECK.
    '--format=docker',
    '--isolation=chroot',
    '--network=host',
    '--pull=never',
    ...mounts.map((mount) => `--volume=${mount}`),
    `--file=${join(context, dockerfiles[service])}`,
    context,
  )
  const id = printed.split('\n').at(-1) ?? ''
  if (!/^[0-9a-f]{64}$/.test(id)) throw new Error(`podman build printed no image: ${printed}`)
  return id
}

/** @returns the ids of both images, which stay in the cache */
export async function buildImages(
  context: string,
  say: (line: string) => void,
): Promise<Record<Service, string>> {
  const run = openEngine({ folder: cacheFolder })
  say('Base: Debian packages and the Node of this checkout')
  await makeBase(run, cacheFolder)
  const npmCache = join(cacheFolder, 'npm')
  mkdirSync(npmCache, { recursive: true })
  const npmSettings = join(cacheFolder, 'npmrc')
  const registry = await run('npm', 'config', 'get', 'registry', '--loglevel=error')
  const hasAuthorities = existsSync(authorities)
  const trusted = hasAuthorities ? 'cafile=/usr/local/etc/authorities.pem\n' : ''
  writeFileSync(npmSettings, `registry=${registry}\n${trusted}`)
  const mounts = [
    `${npmCache}:/root/.npm`,
    `${npmSettings}:/usr/local/etc/npmrc:ro`,
    ...(hasAuthorities ? [`${authorities}:/usr/local/etc/authorities.pem:ro`] : []),
  ]
  say('Image of the control API: Dockerfile')
  const api = await build(run, 'api', context, mounts)
  say('Image of the ticket service: ticket/Dockerfile')
  const ticket = await build(run, 'ticket', context, mounts)
  return { api, ticket }
}
