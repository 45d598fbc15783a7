import * as v from 'valibot'

/** A schema with the words that OpenAPI and the client's types show for it. */
export const described = <Schema extends v.GenericSchema>(words: string, schema: Schema) =>
  v.pipe(schema, v.description(words))
