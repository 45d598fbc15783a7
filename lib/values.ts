/** Schemas of the values of variables. Each takes the variable's text; its message says what a valid value is. */
import * as v from 'valibot'

const on = ['true', '1', 'yes']
const off = ['false', '0', 'no']

/** `true`, `1`, `yes` or `false`, `0`, `no`, in any case. */
export const flag = v.pipe(
  v.string(),
  v.toLowerCase(),
  v.picklist([...on, ...off], 'use true, false, 1, 0, yes or no'),
  v.transform((text) => on.includes(text)),
)

/** Decimal digits only, from `minimum` to `maximum`, both included. */
export function wholeNumber(minimum: number, maximum: number) {
  const words = `use a whole number from ${minimum} to ${maximum}`
  return v.pipe(
    v.string(),
    v.regex(/^[0-9]{1,10}$/, words),
    v.transform(Number),
    v.minValue(minimum, words),
    v.maxValue(maximum, words),
  )
}

/** A TCP port to listen on; 0 is any free one. */
export const port = wholeNumber(0, 65_535)

/** One of the given words, case-sensitive. */
export const oneOf = <const T extends readonly string[]>(choices: T) =>
  v.picklist(choices, `use ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`)

/** An `http://` or `https://` address, without slashes at its end. */
export const httpAddress = v.pipe(
  v.string(),
  v.check(
    (text) => ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? ''),
    'use an http:// or https:// address',
  ),
  v.transform((text) => text.replace(/\/+$/, '')),
)

/** Whether an `http://` or `https://` address has a user name or password, which `fetch` refuses. */
export const hasCredentials = (address: string): boolean => {
  const { username = '', password = '' } = URL.parse(address) ?? {}
  return username + password !== ''
}

/** The address of a page, to which paths are added. */
export const pageAddress = v.pipe(
  httpAddress,
  v.check((text) => {
    const { search = '', hash = '' } = URL.parse(text) ?? {}
    return !hasCredentials(text) && search + hash === ''
  }, 'use the address of the page alone, such as https://farm.example'),
)

/** A list separated by commas, without blanks and empty parts. A comma inside braces does not separate: `*.{ogg,wav}`. */
export const list = v.pipe(
  v.string(),
  v.transform((text) => text.split(/,(?![^{]*\})/).flatMap((part) => part.trim() || [])),
)

/** How much a process logs: the named level and those before it. */
export const logLevel = oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])

/** `json`: one object a line. `pretty`: for people at a terminal. */
export const logFormat = oneOf(['json', 'pretty'])

const minKeyLength = 16

/** A key is sent in a header, so it is visible ASCII; and it must be too long to guess. */
export const clientKey = v.pipe(
  v.string(),
  v.regex(/^[\x21-\x7e]*$/, 'may hold only visible ASCII characters, without blanks'),
  v.check(
    (key) => !/^[\x21-\x7e]*$/.test(key) || key.length >= minKeyLength,
    `is shorter than ${minKeyLength} characters; use 32 random bytes as base64 (openssl rand -base64 32)`,
  ),
)
