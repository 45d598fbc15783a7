/** compose.yaml as the templates of other catalogues contain it: four services, with folders in place of volumes. */
import * as v from 'valibot'
import { parse } from 'yaml'
import { folders, stackVariables } from './description.ts'

const service = v.looseObject({
  image: v.string(),
  environment: v.optional(v.record(v.string(), v.string()), {}),
  volumes: v.array(v.string()),
  ports: v.exactOptional(v.array(v.string())),
  networks: v.optional(v.array(v.string())),
  cap_add: v.exactOptional(v.array(v.string())),
})
type Service = v.InferOutput<typeof service>
const services = v.object({ game: service, prepare: service, ticket: service, api: service })
export type Services = v.InferOutput<typeof services>

export interface Place {
  /** The folder of all folders, as the catalogue writes it. */
  readonly data: string
  /** Values of variables; the others have their defaults. */
  readonly values?: Readonly<Record<string, string>>
}

/** Only services that the templates leave out need them. */
const unused = ['GAME_CONTAINER', 'DOCKER_HOST']
/** Shown also while they are empty, to be filled in. */
const asked = stackVariables.map(({ name }) => name)

/** @param text of compose.yaml */
export function servicesFor(text: string, { data, values = {} }: Place): Services {
  const known = Object.fromEntries([
    ...stackVariables.map(({ name, default: value = '' }) => [name, value]),
    ...Object.entries(folders).map(([name, folder]) => [name, `${data}/${folder}`]),
    ...Object.entries(values),
  ])
  const written = JSON.stringify(parse(text, { merge: true }).services)
  const found = v.parse(
    services,
    JSON.parse(written, (_, value: unknown) => (typeof value === 'string' ? inserted(value, known) : value)),
  )
  const changed = ([name, { build: _, labels: __, environment, volumes, networks, ...rest }]: [
    string,
    Service,
  ]) => [
    name,
    {
      ...rest,
      environment: Object.fromEntries(
        Object.entries(environment).filter(
          ([name, value]) => asked.includes(name) || (value !== '' && !unused.includes(name)),
        ),
      ),
      volumes: volumes.map((mount) => inFolder(mount, data)),
      ...(networks !== undefined && { networks: ['farm'] }),
    },
  ]
  return v.parse(services, Object.fromEntries(Object.entries(found).map((one) => changed(one))))
}

/** A mount of a volume becomes one of a folder. */
function inFolder(mount: string, data: string): string {
  const [source = '', ...rest] = mount.split(':')
  const folder = folders[source]
  return [folder === undefined ? source : `${data}/${folder}`, ...rest].join(':')
}

/** Inserts `${NAME:-default}` and `${NAME:+instead}`, nested or not. `$$` stays: the result is read by Compose too. */
function inserted(text: string, values: Readonly<Record<string, string>>): string {
  const innermost = /(?<!\$)\$\{(\w+)(?::([-+])([^{}]*))?\}/g
  let result = text
  // What a catalogue writes for a value may have the same form; it is inserted last.
  const kept: string[] = []
  for (let before = ''; before !== result; ) {
    before = result
    result = before.replace(innermost, (_, name: string, kind: string | undefined, rest = '') => {
      const value = values[name] ?? ''
      if (kind === '+') return value === '' ? '' : rest
      return value === '' ? rest : `\0${kept.push(value) - 1}\0`
    })
  }
  return result.replace(/\0(\d+)\0/g, (_, at: string) => kept[Number(at)] ?? '')
}
