/** Which farms are shown. */
import type { FleetEntry } from '../../client/index.ts'

/** @param text is part of the name, the note or a tag, in any case @param tag empty for all */
export const matches = ({ farm, note = '', tags }: FleetEntry, text: string, tag: string): boolean =>
  (tag === '' || tags.includes(tag)) &&
  [farm, note, ...tags].some((one) => one.toLowerCase().includes(text.trim().toLowerCase()))

/** All tags in use and the chosen one, which a farm may have lost, sorted. @param chosen empty for none */
export const tagsOf = (farms: readonly FleetEntry[], chosen: string): readonly string[] =>
  [...new Set([...farms.flatMap(({ tags }) => tags), ...(chosen === '' ? [] : [chosen])])].toSorted()
