import type { Person } from '../../client/index.ts'

/** A text of digits that is as long as an id is an id, every other one a name. */
export const personOf = (given: string): Person =>
  /^-?[0-9]{15,20}$/.test(given) ? { playerId: BigInt(given) } : { name: given }
