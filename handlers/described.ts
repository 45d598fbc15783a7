import * as v from 'valibot'

/** A schema with the words that OpenAPI and the client's types show for it. */
export const described = <Schema extends v.GenericSchema>(words: string, schema: Schema) =>
  v.pipe(schema, v.description(words))

declare global {
  interface ImportMeta {
    /** Set by wrangler.toml. */
    readonly isWorker?: true
  }
}

/**
 * Words and examples that only the documents show. The Worker serves the documents as files that Node has written, so
 * that in its bundle this function is empty, and esbuild drops the call with its argument. An example from which
 * another one is made stays.
 */
export function docs<const T extends Shown>(shown: T): T
export function docs(shown: unknown): unknown {
  if (!import.meta.isWorker) return shown
}

/** Its arrays are mutable, as those of the schemas are. */
type Shown = string | number | bigint | boolean | undefined | Shown[] | { readonly [member: string]: Shown }
