/** Makes lines of a game's log harmless: no control characters, no secrets of farmgate, no endless lines. */
import { harmful } from '../../lib/harmless-text.ts'
import { formsOf } from '../../lib/secret-forms.ts'
import { longestLine } from './lines.ts'

/** Maximum of UTF-16 units of a line. */
const longestText = 4096
/** Shorter secrets stay: replacing them would make any text unreadable. */
const shortestSecret = 4

/** Escape sequences of terminals: commands and strings with ESC or their C1 form, then single escapes. */
const escapes =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]P^_X]|[\x9d\x90\x9e\x9f\x98])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g

/** A named key of this farm or another. */
const namedKey = /\bfg_[0-9a-f]+_[\w-]+/g

/** The forms of all texts, the longest first. */
export const allForms = (texts: readonly string[]): readonly string[] =>
  [...new Set(texts.flatMap(formsOf))].sort((one, other) => other.length - one.length)

/** All forms of secrets, without those that are too short. */
export const secretForms = (secrets: readonly string[]): readonly string[] =>
  allForms(secrets).filter(({ length }) => length >= shortestSecret)

/** @param forms as `secretForms` returns them */
export const withoutForms = (text: string, forms: readonly string[]): string =>
  forms.reduce((clean, secret) => clean.replaceAll(secret, '…'), text)

/**
 * @param secrets what must not appear, also as JSON or percent-encoded
 * @returns a function that cleans one line
 */
export function textCleaner(secrets: readonly string[]): (line: string) => string {
  const hidden = secretForms(secrets)
  const longestSecret = Math.max(0, ...hidden.map(({ length }) => length))
  return (line) => {
    const plain = line.replace(escapes, '').replaceAll('\t', ' ').replace(harmful, '')
    const text = withoutForms(plain, hidden).replace(namedKey, '…')
    // The cut part may have been the end of a secret.
    const isCut = line.length >= longestLine
    const end = Math.min(longestText, isCut ? text.length - longestSecret : text.length)
    return end < text.length ? `${text.slice(0, Math.max(0, end)).toWellFormed()}…` : text
  }
}
