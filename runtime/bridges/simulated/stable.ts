import { stringifyJson } from '../../../handlers/json.ts'

/** Wraps a read so that it returns the same object while its content is equal, because JSON texts are cached by identity. */
export function stable<T extends object>(make: () => T): () => T {
  let last: { readonly value: T; readonly text: string } | undefined
  return () => {
    const value = make()
    const text = stringifyJson(value)
    if (last?.text !== text) last = { value, text }
    return last.value
  }
}
