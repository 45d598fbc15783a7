/** Query parameters: how each is read from the text of a URL, and what OpenAPI says of it. */
import { docs } from './described.ts'
import { type NumberArgument, whole } from './game-arguments.ts'
import { isInt64 } from './int64.ts'
import { timeOf } from './iso-time.ts'
import { Problem } from './problem.ts'

export interface Parameter<T> {
  /** @returns undefined when the text is not one of its values */
  readonly read: (text: string) => T | undefined
  /** Completes "… must be ". */
  readonly expected: string
  readonly description: string
  readonly required: boolean
  /** JSON Schema of the value, for OpenAPI. */
  readonly schema: Readonly<Record<string, unknown>>
  /** As written in a URL. The page at `/docs` fills it in, so examples of one request must fit each other. */
  readonly example?: string
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>

type Required<P> = P extends { readonly required: true } ? true : false
/** The values for a handler: required ones always, others only when the caller sent them. */
export type QueryOf<P extends Parameters> = {
  readonly [K in keyof P as Required<P[K]> extends true ? K : never]: P[K] extends Parameter<infer T>
    ? T
    : never
} & {
  readonly [K in keyof P as Required<P[K]> extends true ? never : K]?: P[K] extends Parameter<infer T>
    ? T
    : never
}

interface Words {
  readonly description: string
  readonly example?: string
}

const digits = /^-?[0-9]+$/

const written = { integer: digits, number: /^[0-9]{1,15}(\.[0-9]{1,15})?$/ } as const

/** A number that an ability of the game takes, in plain decimal digits: no `+`, blank, exponent or `Infinity`. */
export const numberParameter = (argument: NumberArgument, words: Words) => {
  const { type, minimum, maximum, expected } = argument
  return {
    ...words,
    read: (text: string): number | undefined => {
      const value = written[type].test(text) ? Number(text) : Number.NaN
      return argument.accepts(value) ? value : undefined
    },
    expected,
    required: true,
    schema: { type, minimum, maximum },
  } as const satisfies Parameter<number>
}

/** A whole number from `minimum` to `maximum`. */
export const integer = (minimum: number, maximum: number, words: Words) =>
  numberParameter(whole(minimum, maximum), words)

/** A player id with every digit (UniqueMultiplayerID). */
export const playerId = {
  read: (text: string): bigint | undefined => {
    if (!digits.test(text) || text.length > 64) return undefined
    const id = BigInt(text)
    return isInt64(id) ? id : undefined
  },
  expected: 'a signed 64-bit integer',
  description: docs('The stable id (UniqueMultiplayerID)'),
  required: true,
  // Also a text, so that programs whose numbers are doubles can send `idText` by generated code.
  schema: {
    anyOf: [
      { type: 'integer', format: 'int64' },
      { type: 'string', pattern: '^-?[0-9]{1,19}$', maxLength: 20 },
    ],
  },
} as const satisfies Parameter<bigint>

/** A text that is not blank. */
export const text = (words: Words) =>
  ({
    ...words,
    read: (value: string): string | undefined => (value.trim() === '' ? undefined : value),
    expected: 'a text',
    required: true,
    schema: { type: 'string', minLength: 1 },
  }) as const satisfies Parameter<string>

/** A time as the caller's text; `timeOf` reads it. */
export const time = (words: Words) =>
  ({
    ...words,
    read: (value: string): string | undefined => (timeOf(value) === undefined ? undefined : value),
    expected: 'a time in ISO 8601 with its zone, such as 2026-11-21T12:00:00Z',
    required: true,
    schema: { type: 'string', format: 'date-time' },
  }) as const satisfies Parameter<string>

/** Where a page of a list begins: `next` of the page before. */
export const before = {
  read: (value: string): string | undefined => (cursor.test(value) ? value : undefined),
  expected: "a page's `next`",
  description: docs('The `next` of the previous page'),
  required: false,
  schema: { type: 'string', pattern: '^[1-9][0-9]{0,15}$' },
} as const satisfies Parameter<string>

const cursor = /^[1-9][0-9]{0,15}$/

/** How many entries a page of a list has; 100 unless given. */
export const pageLimit = (what: string) =>
  optional(integer(1, 500, { description: docs(`${what} of a page; 100 unless given`), example: '100' }))

/** A page of a list, newest first. */
export interface PageQuery {
  /** Only entries older than this. */
  readonly before?: number
  readonly limit: number
}

/** A query with `before` and `limit`, as the records take it. */
export const pageOf = <Query extends { readonly before?: string; readonly limit?: number }>({
  before: next,
  limit = 100,
  ...filter
}: Query) => ({
  ...filter,
  limit,
  ...(next !== undefined && { before: Math.min(Number(next), Number.MAX_SAFE_INTEGER) }),
})

/** A text that is not blank and has at most so many UTF-16 units. */
export const shortText = (maxLength: number, words: Words) =>
  ({
    ...text(words),
    read: (value: string): string | undefined =>
      value.length > maxLength ? undefined : text(words).read(value),
    expected: `a text of at most ${maxLength} characters`,
    schema: { type: 'string', minLength: 1, maxLength },
  }) as const satisfies Parameter<string>

/** `true` or `false`. */
export const boolean = (words: Words) =>
  ({
    ...words,
    read: (value: string): boolean | undefined => {
      const word = value.toLowerCase()
      return word === 'true' ? true : word === 'false' ? false : undefined
    },
    expected: 'true or false',
    required: true,
    schema: { type: 'boolean' },
  }) as const satisfies Parameter<boolean>

/** The same parameter, not required. */
export const optional = <P extends Parameter<unknown>>(
  parameter: P,
): Omit<P, 'required'> & { readonly required: false } => ({
  ...parameter,
  required: false,
})

/** A parameter as it was sent. `value` is undefined where its text is not percent-encoded UTF-8. */
export interface SentParameter {
  /** Lower case, because names match in any case, as in JunimoServer's API. */
  readonly name: string | undefined
  readonly value: string | undefined
  /** The value before it is decoded. */
  readonly encoded: string
}

/** @param search the URL's query without its `?` */
export const sentQuery = (search: string): readonly SentParameter[] =>
  search === ''
    ? []
    : search.split('&').map((pair) => {
        const at = pair.indexOf('=')
        const encoded = at < 0 ? '' : pair.slice(at + 1)
        return {
          name: decoded(at < 0 ? pair : pair.slice(0, at))?.toLowerCase(),
          value: decoded(encoded),
          encoded,
        }
      })

/**
 * Reads the parameters of an endpoint from a query. Unknown ones are ignored.
 * @throws {Problem} invalid_parameter: missing, repeated, empty, malformed or out of range
 */
export function readParameters<P extends Parameters>(
  parameters: P,
  sent: readonly SentParameter[],
): QueryOf<P> {
  const names = Object.keys(parameters)
  // Most reads.
  if (names.length === 0) return {} as QueryOf<P>
  const found = new Map<string, string>()
  for (const { name: given, value } of sent) {
    const name = names.find((known) => known.toLowerCase() === given)
    if (name === undefined) continue
    if (found.has(name)) throw invalid(name, `Parameter '${name}' is given more than once`)
    if (value === undefined) throw invalid(name, `Parameter '${name}' is not valid percent-encoded UTF-8`)
    if (value === '') throw invalid(name, `Parameter '${name}' is empty`)
    found.set(name, value)
  }
  const query: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries(parameters)) {
    const value = found.get(name)
    if (value === undefined) {
      if (!parameter.required) continue
      const example = parameter.example === undefined ? '' : ` (e.g. ${parameter.example})`
      throw invalid(name, `Missing '${name}' query parameter${example}`)
    }
    const read = parameter.read(value)
    if (read === undefined) throw invalid(name, `Parameter '${name}' must be ${parameter.expected}`)
    query[name] = read
  }
  return query as QueryOf<P>
}

/**
 * Reads a query as `readParameters` does, and refuses unknown names: for calls at which a misspelt name would do harm.
 * @param search the URL's query without its `?`
 * @throws {Problem} invalid_parameter
 */
export function readExactQuery<P extends Parameters>(parameters: P, search: string): QueryOf<P> {
  const known = Object.keys(parameters)
  const sent = sentQuery(search)
  for (const { name = '' } of sent) {
    if (known.some((one) => one.toLowerCase() === name)) continue
    const choice = known.length === 0 ? 'This request has none' : `This request has ${known.join(' and ')}`
    throw invalid(name, `Unknown query parameter '${name}'. ${choice}`)
  }
  return readParameters(parameters, sent)
}

const invalid = (parameter: string, sentence: string) =>
  new Problem('invalid_parameter', sentence, { parameter })

/** Decodes `+` as a blank and `%XX` as UTF-8; undefined when it cannot be decoded. */
function decoded(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
