/**
 * The one place where farmgate reads what other programs, files and uploads hold. A text is measured before it is
 * parsed, a list before its items, and a schema stops at the first mistake: 100,000 wrong items would otherwise be
 * 100,000 issues.
 */
import * as v from 'valibot'
import { type JsonLimits, readJson } from '../json.ts'

type Schema<T> = v.GenericSchema<unknown, T>

/**
 * @param text undefined where there is none
 * @returns undefined for a text that is missing, is not JSON, is beyond a limit, or does not fit the schema
 */
export function readForeign<T>(
  schema: Schema<T>,
  text: string | Uint8Array | undefined,
  limits?: JsonLimits,
): T | undefined {
  if (text === undefined) return undefined
  const found = checkForeign(schema, foreignValue(text, limits))
  return found.success ? found.output : undefined
}

const utf8 = new TextDecoder()

/** For a text whose schema depends on what it says. @returns undefined for a text that is not JSON, or is beyond a limit */
export const foreignValue = (text: string | Uint8Array, limits?: JsonLimits): unknown =>
  readJson(typeof text === 'string' ? text : utf8.decode(text), limits)

/** Compares a value that was parsed with limits. @returns the first mistake only */
export const checkForeign = <T>(schema: Schema<T>, value: unknown) =>
  v.safeParse(schema, value, { abortEarly: true })

/** A list of at most so many items, which are not looked at when there are more. */
export const listOf = <T extends v.GenericSchema>(item: T, most: number) =>
  v.pipe(
    v.custom<unknown[]>((value) => Array.isArray(value) && value.length <= most),
    v.array(item),
  )

/**
 * An object whose members have foreign names, as a map: `__proto__` and `constructor` are names like others in it.
 * @param most members
 */
export const mapOf = <T>(value: Schema<T>, most: number) =>
  v.pipe(
    v.custom<object>((found) => typeof found === 'object' && found !== null && !Array.isArray(found)),
    v.transform((found): unknown => Object.entries(found)),
    listOf(v.tuple([v.string(), value]), most),
    v.transform((entries): ReadonlyMap<string, T> => new Map(entries)),
  )
