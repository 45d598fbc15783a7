import { type Check, ok, warning } from './check.ts'

/** Bits that a key should have so that nobody can guess it. */
const enough = 96
const remedy = 'Use 32 random bytes: openssl rand -base64 32'

/** An upper bound of a key's strength, from its length and the variety of its characters. */
export function keyStrength(variable: string, key: string): Check {
  const bits = Math.round(key.length * Math.log2(Math.max(1, new Set(key).size)))
  if (/change.?me|password|secret|example|1234/i.test(key))
    return warning(variable, 'it contains a word that attackers try first', remedy)
  if (bits < enough)
    return warning(variable, `it is easier to guess than a random key (${bits} bits at most)`, remedy)
  return ok(variable, `${key.length} characters`)
}
