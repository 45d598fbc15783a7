/** Which farms are shown, and in which order. */
import type { FleetEntry } from './client.ts'
import { fleetTexts } from './texts.ts'

/** A code of a later edge comes after all known ones, and a farm without trouble last. */
function rankOf({ trouble: [worst] }: FleetEntry): number {
  const worstFirst = Object.keys(fleetTexts.value.troubles)
  if (worst === undefined) return worstFirst.length + 1
  const at = worstFirst.indexOf(worst)
  return at < 0 ? worstFirst.length : at
}

/** Farms with the worst trouble first; of equal ones the order stays, which is that of their names. */
export const byTrouble = (farms: readonly FleetEntry[]): readonly FleetEntry[] =>
  farms.toSorted((one, other) => rankOf(one) - rankOf(other))

/** @param text is part of the name, the note or a tag, in any case @param tag empty for all */
export const matches = ({ farm, note = '', tags }: FleetEntry, text: string, tag: string): boolean =>
  (tag === '' || tags.includes(tag)) &&
  [farm, note, ...tags].some((one) => one.toLowerCase().includes(text.trim().toLowerCase()))

/** All tags in use and the chosen one, which a farm may have lost, sorted. @param chosen empty for none */
export const tagsOf = (farms: readonly FleetEntry[], chosen: string): readonly string[] =>
  [...new Set([...farms.flatMap(({ tags }) => tags), ...(chosen === '' ? [] : [chosen])])].toSorted()
