/** `compose.yaml`, as Compose reads it: parsed, with the variables of a `.env` inserted. */
import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { parse } from 'yaml'

const service = v.object({
  image: v.optional(v.string()),
  build: v.optional(v.union([v.string(), v.object({ context: v.string(), dockerfile: v.string() })])),
  command: v.optional(v.union([v.string(), v.array(v.string())]), ''),
  entrypoint: v.optional(v.array(v.string())),
  user: v.optional(v.string()),
  labels: v.optional(v.record(v.string(), v.string()), {}),
  logging: v.object({ driver: v.string(), options: v.record(v.string(), v.string()) }),
  stop_grace_period: v.optional(v.string(), '10s'),
  environment: v.optional(v.record(v.string(), v.string()), {}),
  volumes: v.optional(v.array(v.string()), []),
  ports: v.optional(v.array(v.string()), []),
  profiles: v.optional(v.array(v.string()), []),
  depends_on: v.optional(
    v.union([v.array(v.string()), v.record(v.string(), v.object({ condition: v.string() }))]),
  ),
  read_only: v.optional(v.boolean()),
  cap_drop: v.optional(v.array(v.string())),
  cap_add: v.optional(v.array(v.string()), []),
  security_opt: v.optional(v.array(v.string())),
  tmpfs: v.optional(v.array(v.string()), []),
  ulimits: v.optional(v.record(v.string(), v.number()), {}),
  tty: v.optional(v.boolean(), false),
  stdin_open: v.optional(v.boolean(), false),
  restart: v.optional(v.string(), 'no'),
  networks: v.optional(v.array(v.string()), []),
  network_mode: v.optional(v.string()),
  mem_limit: v.optional(v.string()),
  pids_limit: v.optional(v.number()),
})
export type ComposeService = v.InferOutput<typeof service>
const volume = v.nullable(v.object({ name: v.string() }))
const stack = v.object({
  services: v.strictObject({
    game: service,
    prepare: service,
    ticket: service,
    api: service,
    https: service,
    'docker-proxy': service,
  }),
  volumes: v.record(v.string(), volume),
  networks: v.record(v.string(), v.nullable(v.object({ internal: v.boolean() }))),
})

/** A file of the repository. */
export const readText = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

/** The stack with every `${…}` unchanged. */
export const compose = v.parse(stack, parse(readText('compose.yaml'), { merge: true }))

/** Names of all variables in `${…}`. */
export const interpolated = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name = '']) => name))

/**
 * Inserts variables: `${NAME}`, `${NAME:-default}`, `${NAME:+instead}` and `${NAME:?message}`, nested or not. `$$` is
 * `$`. @throws when a required one is not set @see https://docs.docker.com/reference/compose-file/interpolation/
 */
function interpolate(text: string, env: Readonly<Record<string, string>>): string {
  let before: string
  let result = text
  do {
    before = result
    // The innermost ones first: those without a brace.
    result = before.replace(
      /(?<!\$)\$\{(\w+)(?::([-+?])([^{}]*))?\}/g,
      (_, name: string, kind, rest = '') => {
        const value = env[name]
        if (kind === '+') return value ? rest : ''
        if (value) return value
        if (kind === '?') throw new Error(`required variable ${name} is missing a value: ${rest}`)
        return rest
      },
    )
  } while (result !== before)
  return result.replaceAll('$$', '$')
}

/** The stack as it starts with a `.env`. @throws when a required variable is not set */
export function composeWith(env: Readonly<Record<string, string>>): v.InferOutput<typeof stack> {
  const written = JSON.stringify(parse(readText('compose.yaml'), { merge: true }))
  return v.parse(
    stack,
    JSON.parse(written, (_, value: unknown) => (typeof value === 'string' ? interpolate(value, env) : value)),
  )
}
