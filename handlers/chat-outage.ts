/** Times in which lines of the game's chat may be missing. */
import * as v from 'valibot'
import { timestamp } from './game-records.ts'

/** farmgate, or its connection to the game's chat, was down. */
export const chatOutage = v.object({
  /** The number of the last line before it. */
  after: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  from: timestamp,
  to: timestamp,
})
export type ChatOutage = v.InferOutput<typeof chatOutage>

/** Maximum of outages kept for clients that connect again. */
export const keptOutages = 20

/** Adds an outage to the kept ones, oldest first. @returns undefined for one that is among them */
export function withOutage(kept: readonly ChatOutage[], next: ChatOutage): readonly ChatOutage[] | undefined {
  if (kept.some(({ from, to }) => from === next.from && to === next.to)) return undefined
  return [...kept, next].slice(-keptOutages)
}
