import { formsOf } from '../lib/secret-forms.ts'

/** Secret values, which may be written to the session file only. */
export type Secrets = ReturnType<typeof makeSecrets>

const minLength = 4

/** @returns an empty set of secrets. */
export function makeSecrets() {
  const known = new Set<string>()
  return {
    /** Adds values for `blank` to replace. Values under 4 characters are ignored: they occur in ordinary words. */
    hide(...values: readonly (string | undefined)[]) {
      for (const value of values) {
        if (!value || value.length < minLength) continue
        for (const form of formsOf(value)) known.add(form)
      }
    },
    /** Removes a value that is good for nothing any more. */
    forget(value: string) {
      for (const form of formsOf(value)) known.delete(form)
    },
    /** @returns the text with every added value replaced by `[secret]`. */
    blank(text: string): string {
      let clean = text
      for (const value of known) clean = clean.replaceAll(value, '[secret]')
      return clean
    },
  }
}
