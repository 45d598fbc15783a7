/** Actions at many farms of a fleet at once, as `/farms/actions` takes and shows them (docs/edge.md). */
import * as v from 'valibot'

const actions = ['announce', 'restart', 'backup'] as const
/** Maximum of farms and tags in a request. */
const maxNamed = 2000

const must = (member: string, be: string) => `Member '${member}' must be ${be}`
const texts = (member: string) => {
  const sentence = must(member, `a list of at most ${maxNamed} texts`)
  return v.exactOptional(v.pipe(v.array(v.string(sentence), sentence), v.maxLength(maxNamed, sentence)))
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
  /** The names of farms. */
  farms: texts('farms'),
  /** Farms with any of these tags, in addition to those in `farms`. */
  tags: texts('tags'),
  /** The members of the body that the action's endpoint takes. */
  arguments: v.optional(v.looseObject({}, must('arguments', 'an object')), {}),
  /** How many farms are called at a time. */
  atOnce: v.optional(whole('atOnce', 50), 5),
  /** After so many failures, the farms that were not called yet are skipped. */
  stopAfterFailures: v.exactOptional(whole('stopAfterFailures', 10_000)),
})
export type FleetActionRequest = v.InferOutput<typeof fleetActionRequest>

/**
 * The outcome at one farm. `succeeded`: the farm accepted the call; a restart has then begun. `failed`: it did not, or
 * that is unknown, as the detail says. `skipped`: it was not called.
 */
export const farmOutcome = v.object({
  farm: v.string(),
  outcome: v.picklist(['succeeded', 'failed', 'skipped']),
  detail: v.exactOptional(v.string()),
})
export type FarmOutcome = v.InferOutput<typeof farmOutcome>

export const fleetAction = v.object({
  state: v.picklist(['running', 'ended']),
  /** Of the farms that are done so far, sorted by name. */
  outcomes: v.array(farmOutcome),
})
export type FleetAction = v.InferOutput<typeof fleetAction>
