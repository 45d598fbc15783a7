import { stringifyJson } from '../../../handlers/json.ts'

/** Answers the same object for as long as what it holds is the same: readers keep encodings by identity. */
export function stable<T extends object>(make: () => T): () => T {
  let last: { readonly value: T; readonly text: string } | undefined
  return () => {
    const value = make()
    const text = stringifyJson(value)
    if (last?.text !== text) last = { value, text }
    return last.value
  }
}
