/** Reads the environment of every process of farmgate: the control API, its Worker at the edge, the ticket service. */
import * as v from 'valibot'
import { errorCode } from './error-code.ts'
import { meantBy } from './misspelling.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** One mistake in the environment. */
export interface EnvironmentProblem {
  readonly variable: string
  /** What is wrong and how to fix it; never the value of a secret. */
  readonly problem: string
}

/** Properties of a variable that its schema does not have. */
export interface VariableTraits {
  /** Older names, tried in this order when the variable itself is not set. */
  readonly aliases?: readonly string[]
  /** Names that other programs use for the same value, tried last. */
  readonly borrowed?: readonly string[]
  /** It is, or may be, a secret: no message repeats its value. */
  readonly secret?: boolean
  /** The value may be in a file that `<NAME>_FILE` names. */
  readonly file?: boolean
  /** Where nothing else sets it, it is read from a file in `KEYS_DIR` that has its name in lower case. */
  readonly made?: boolean
  /** A folder, a file, a prefix of a bucket, or a key, that two farms of one process cannot have together. */
  readonly own?: 'place' | 'key'
}

/** Every variable that a process reads: a schema of their texts by name, and their traits. */
export interface Variables<Entries extends v.ObjectEntries> {
  readonly schema: v.ObjectSchema<Entries, undefined>
  readonly traits: { readonly [Name in keyof Entries]?: VariableTraits }
}

export interface EnvironmentReading<Entries extends v.ObjectEntries> {
  /** undefined while there is any problem. */
  readonly values: v.InferOutput<v.ObjectSchema<Entries, undefined>> | undefined
  /** The name under which a variable is set (itself, an alias, its `_FILE` form), whether or not its value is right. */
  foundAs(name: keyof Entries): string | undefined
  /** The text of a variable, read from its file if `_FILE` is set. */
  text(name: keyof Entries): string | undefined
  readonly problems: EnvironmentProblem[]
}

/**
 * Reads and checks a whole environment, and reports all its problems at once. Blanks around a value are removed, an
 * empty variable counts as not set, and a name within two letters of a known one is a problem; other unknown names are
 * ignored.
 * @param env members that are not texts (a Worker's bindings) are ignored
 * @param readFile reads the file of a `_FILE` variable; throws when it cannot
 */
export function readEnvironment<const Entries extends v.ObjectEntries>(
  { schema, traits }: Variables<Entries>,
  env: Readonly<Record<string, unknown>>,
  readFile: (path: string) => string,
): EnvironmentReading<Entries> {
  const problems: EnvironmentProblem[] = []
  const report = (variable: string, problem: string) => {
    // A schema reports the same issue for each member of a list.
    if (!problems.some((other) => other.variable === variable && other.problem === problem))
      problems.push({ variable, problem })
  }
  const given = givenTexts(env)
  const found = new Map<PropertyKey, Found>()
  for (const name of Object.keys(schema.entries)) {
    const one = lookUp(name, traits[name] ?? {}, given, readFile, report)
    if (one !== undefined) found.set(name, one)
  }
  const texts = Object.fromEntries([...found].flatMap(([name, { text }]) => (text ? [[name, text]] : [])))
  const parsed = v.safeParse(schema, texts)
  for (const { path, message } of parsed.issues ?? []) {
    const name = String(path?.[0].key)
    const { as, text } = found.get(name) ?? { as: name }
    report(
      as,
      text === undefined || traits[name]?.secret
        ? message
        : `is ${JSON.stringify(text.slice(0, 80))}; ${message}`,
    )
  }
  const known = new Set(Object.values(namesOf({ schema, traits })).flat())
  const borrowed = new Set(
    Object.values<VariableTraits | undefined>(traits).flatMap((one) => one?.borrowed ?? []),
  )
  for (const name of Object.keys(given)) {
    const meant = known.has(name) || borrowed.has(name) ? undefined : meantBy(name, known)
    if (meant !== undefined) report(name, `is not known; ${meant} is meant? Rename it, or remove it`)
  }
  return {
    values: parsed.success && problems.length === 0 ? parsed.output : undefined,
    foundAs: (name) => found.get(name)?.as,
    text: (name) => found.get(name)?.text,
    problems,
  }
}

/** @returns for each variable, the names that can set it: its own, its aliases, and their `_FILE` forms */
export function namesOf<Entries extends v.ObjectEntries>({
  schema,
  traits,
}: Variables<Entries>): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.keys(schema.entries).map((name) => {
      const { aliases = [], file }: VariableTraits = traits[name] ?? {}
      return [name, [name, ...aliases].flatMap((one) => (file ? [one, `${one}_FILE`] : [one]))]
    }),
  )
}

/** The problems as text, one `NAME: problem` per line. */
export const problemLines = (problems: readonly EnvironmentProblem[]): string =>
  problems.map(({ variable, problem }) => `${variable}: ${problem}\n`).join('')

interface Found {
  /** The name under which it is set. */
  readonly as: string
  /** undefined when its file is empty or cannot be read. */
  readonly text?: string
}

const givenTexts = (env: Readonly<Record<string, unknown>>): Environment =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => {
      const text = typeof value === 'string' ? value.trim() : ''
      return text === '' ? [] : [[name, text]]
    }),
  )

function lookUp(
  name: string,
  { aliases = [], borrowed = [], file = false, made = false }: VariableTraits,
  given: Environment,
  readFile: (path: string) => string,
  report: (variable: string, problem: string) => void,
): Found | undefined {
  for (const one of [name, ...aliases]) {
    const text = given[one]
    const path = file ? given[`${one}_FILE`] : undefined
    if (text !== undefined && path !== undefined) report(one, `${one}_FILE is set too; keep one of the two`)
    if (text !== undefined) return { as: one, text }
    if (path !== undefined) return fromFile(`${one}_FILE`, path, readFile, report)
  }
  const other = borrowed.find((one) => given[one] !== undefined)
  const text = other === undefined ? undefined : given[other]
  if (other !== undefined && text !== undefined) return { as: other, text }
  const folder = made ? given['KEYS_DIR'] : undefined
  return folder === undefined
    ? undefined
    : fromFile('KEYS_DIR', `${folder}/${name.toLowerCase()}`, readFile, (_, problem) =>
        report(name, `is not set, and KEYS_DIR ${problem}`),
      )
}

function fromFile(
  as: string,
  path: string,
  readFile: (path: string) => string,
  report: (variable: string, problem: string) => void,
): Found {
  try {
    const text = readFile(path).trim()
    if (text !== '') return { as, text }
    report(as, `names ${shownPath(path)}, which may not be empty; write the value into it`)
  } catch (error) {
    report(as, unreadable(path, error))
  }
  return { as }
}

/** A path as messages show it: a variable with a wrong value may be very long. */
const shownPath = (path: string) => (path.length > 200 ? `${path.slice(0, 200)}…` : path)

/** @returns the problem of a variable that names a file which cannot be read */
export const unreadable = (path: string, error: unknown): string =>
  `names ${shownPath(path)}, which cannot be read (${errorCode(error) ?? 'unknown cause'}); check the path and its permissions`
