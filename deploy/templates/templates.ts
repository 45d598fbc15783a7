/** All templates: the content of each file, by its path below `deploy/templates`. */
import { readFileSync } from 'node:fs'
import packageJson from '../../package.json' with { type: 'json' }
import {
  casaOs,
  portainer,
  umbrelApp,
  umbrelCompose,
  umbrelManifest,
  umbrelStoreFile,
} from './compose-files.ts'
import { description } from './description.ts'
import { egg } from './egg.ts'
import { unraid } from './unraid.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url))

/**
 * @param images lines `<name>@sha256:<digest>` of a release; undefined in this repository
 * @throws when one of the images is not in them
 */
export function templates(images?: string): ReadonlyMap<string, string | Uint8Array> {
  const compose = read('compose.yaml').toString()
  const { version } = packageJson
  const ofRelease = new Map(
    [...(images ?? '').matchAll(/^(\S+)@(sha256:[0-9a-f]{64})$/gm)].map(([, name = '', digest = '']) => [
      name.includes(':') ? name : `${name}:${version}`,
      digest,
    ]),
  )
  const umbrel = `umbrel/${umbrelApp}`
  return new Map<string, string | Uint8Array>([
    ['casaos/docker-compose.yml', casaOs(compose, version)],
    ['casaos/icon.svg', read(description.icon)],
    ...description.screenshots.map(
      (path, index) => [`casaos/screenshot-${index + 1}.png`, read(path)] as const,
    ),
    ['umbrel/umbrel-app-store.yml', umbrelStoreFile],
    [`${umbrel}/umbrel-app.yml`, umbrelManifest(version)],
    [`${umbrel}/docker-compose.yml`, umbrelCompose(compose, images === undefined ? undefined : ofRelease)],
    ['portainer/templates.json', portainer()],
    ...Object.entries(unraid(compose)).map(([name, text]) => [`unraid/${name}`, text] as const),
    ['egg/egg-farmgate.json', egg(version)],
  ])
}
