/** Actions at many farms of a fleet at once, as `/farms/actions` takes and shows them (docs/edge.md). */
import * as v from 'valibot'
import { described, docs } from './described.ts'
import { timestamp } from './game-records.ts'

const actions = ['announce', 'restart', 'backup'] as const
/** Maximum of farms and tags in a request. */
const maxNamed = 2000

const must = (member: string, be: string) => `Member '${member}' must be ${be}`
const texts = (member: string, words: string) => {
  const sentence = must(member, `a list of at most ${maxNamed} texts`)
  const list = v.pipe(v.array(v.string(sentence), sentence), v.maxLength(maxNamed, sentence))
  return v.exactOptional(described(docs(words), list))
}
const whole = (member: string, maximum: number) => {
  const sentence = must(member, `a whole number from 1 to ${maximum}`)
  return v.pipe(
    v.number(sentence),
    v.integer(sentence),
    v.minValue(1, sentence),
    v.maxValue(maximum, sentence),
  )
}

export const fleetActionRequest = v.strictObject({
  action: v.picklist(actions, must('action', `one of ${actions.join(', ')}`)),
  farms: texts('farms', docs('The names of farms.')),
  tags: texts('tags', docs('Farms with any of these tags, in addition to those in `farms`.')),
  arguments: v.optional(
    described(
      docs("The members of the body that the action's own call takes."),
      v.record(v.string(), v.unknown(), must('arguments', 'an object')),
    ),
    {},
  ),
  atOnce: v.optional(
    described(
      docs('At how many farms it is done at a time; a restart counts until it has ended.'),
      whole('atOnce', 50),
    ),
    5,
  ),
  stopAfterFailures: v.exactOptional(
    described(
      docs('After so many failures, the farms that were not called yet are skipped.'),
      whole('stopAfterFailures', 10_000),
    ),
  ),
})
export type FleetActionRequest = v.InferOutput<typeof fleetActionRequest>

export const farmOutcome = v.object({
  farm: v.string(),
  outcome: described(
    docs(
      '`succeeded`: it was done; a restart has ended, or waits for its time, as the detail says. `failed`: it was not, or that is unknown. `skipped`: the farm was not called.',
    ),
    v.picklist(['succeeded', 'failed', 'skipped']),
  ),
  detail: v.exactOptional(v.string()),
})
export type FarmOutcome = v.InferOutput<typeof farmOutcome>

export const fleetAction = v.object({
  state: v.picklist(['running', 'ended']),
  outcomes: described(docs('Of the farms that are done so far, sorted by name.'), v.array(farmOutcome)),
})
export type FleetAction = v.InferOutput<typeof fleetAction>

export const fleetActionSummary = v.object({
  id: v.string(),
  action: v.picklist(actions),
  at: described(docs('When it began.'), timestamp),
  state: v.picklist(['running', 'ended']),
  farms: described(docs('How many farms it is for.'), v.number()),
  succeeded: described(docs('Farms so far, as are `failed` and `skipped`.'), v.number()),
  failed: v.number(),
  skipped: v.number(),
})

export type FleetActionSummary = v.InferOutput<typeof fleetActionSummary>
