/** Values that must never be written anywhere but the session file. */
export interface Secrets {
  /** From now on `blank` takes this value out of every text. Short values are left: they would blank half a sentence. */
  hide(...values: readonly (string | undefined)[]): void
  /** @returns the text with every hidden value replaced by `[secret]`. */
  blank(text: string): string
}

const minLength = 4

/** @returns an empty set of secrets. */
export function makeSecrets(): Secrets {
  const known = new Set<string>()
  return {
    hide(...values) {
      for (const value of values) {
        if (!value || value.length < minLength) continue
        known.add(value)
        // As it would stand inside a JSON string or a URL.
        known.add(JSON.stringify(value).slice(1, -1))
        known.add(encodeURIComponent(value))
      }
    },
    blank(text) {
      let clean = text
      for (const value of known) clean = clean.replaceAll(value, '[secret]')
      return clean
    },
  }
}
