/** The host of a save: apart from the other facts of one, because the edge knows this one alone. */
import * as v from 'valibot'
import { described, docs } from './described.ts'

export const saveHost = described(
  docs('The farmer of the host. One of a person is taken over by the server that loads the save as it is.'),
  v.object({
    name: v.string(),
    isServer: described(docs("Whether it is the server's own farmer."), v.boolean()),
  }),
)
export type SaveHost = Readonly<v.InferOutput<typeof saveHost>>
