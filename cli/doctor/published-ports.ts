/** Which ports the containers of the compose file in this folder publish, and to whom. */

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import * as v from 'valibot'
import { childEnvironment } from '../../lib/child-environment.ts'
import type { Environment } from '../../lib/environment.ts'
import { readForeign } from '../../lib/foreign/read.ts'
import { broken, type Check, ok, warning } from './check.ts'

const service = v.object({
  Service: v.string(),
  Publishers: v.nullish(
    v.array(
      v.object({ URL: v.string(), TargetPort: v.number(), PublishedPort: v.number(), Protocol: v.string() }),
    ),
  ),
})

/** @returns nothing where there is no compose file or no Docker */
export async function publishedPortChecks(env: Environment, signal: AbortSignal): Promise<Check[]> {
  if (!existsSync('compose.yaml')) return []
  const { DOCKER_HOST } = env
  const engine = DOCKER_HOST ? ['--host', DOCKER_HOST] : []
  const printed = await promisify(execFile)('docker', [...engine, 'compose', 'ps', '--format', 'json'], {
    env: childEnvironment(env),
    signal,
    timeout: 10_000,
  }).then(
    ({ stdout }) => stdout,
    () => undefined,
  )
  signal.throwIfAborted()
  const services = printed === undefined ? undefined : read(printed)
  if (services === undefined) return []
  const published = services.flatMap(({ Service, Publishers }) =>
    (Publishers ?? [])
      .filter(({ PublishedPort, Protocol }) => PublishedPort > 0 && Protocol === 'tcp')
      .map((one) => ({ ...one, service: Service })),
  )
  const checks = published.flatMap(({ service, URL, TargetPort, PublishedPort }): Check[] => {
    const isOpen = URL !== '127.0.0.1' && URL !== '::1'
    const where = `${service} publishes port ${PublishedPort}${isOpen ? ' to every network' : ''}`
    if (service === 'ticket')
      return [
        broken('published ports', `${where}: it gives Steam tickets`, 'Remove its ports from compose.yaml.'),
      ]
    if (service === 'game' && TargetPort === 8080)
      return [
        broken(
          'published ports',
          `${where}: the API of the game server`,
          'Remove it from compose.yaml; farmgate reaches it inside.',
        ),
      ]
    if (service === 'game' && isOpen)
      return [
        warning(
          'published ports',
          `${where}: the screen of the game server`,
          'Publish it at 127.0.0.1 only.',
        ),
      ]
    if (service === 'api' && isOpen)
      return [
        warning(
          'published ports',
          `${where} without HTTPS`,
          'Unset PUBLISH_ADDRESS, and use the https profile.',
        ),
      ]
    return []
  })
  return checks.length === 0 ? [ok('published ports', 'none that should not be')] : checks
}

/** Older versions print an array, newer ones an object on each line. */
function read(text: string): v.InferOutput<typeof service>[] | undefined {
  const trimmed = text.trim()
  return readForeign(
    v.array(service),
    trimmed.startsWith('[') ? trimmed : `[${trimmed.split('\n').join(',')}]`,
  )
}
