/**
 * The game's records and events as they come out of JSON on the other side of the link. Small ids are plain
 * numbers there (`parseJson`) and become bigints again; anything that is not the record is refused.
 */
import * as v from 'valibot'
import * as records from '../../handlers/game-records.ts'
import { int64FromJson } from '../../handlers/int64.ts'

const player = v.object({ ...records.player.entries, id: int64FromJson })
const farmhand = v.object({ ...records.farmhand.entries, id: int64FromJson })
const cabin = v.object({ ...records.cabin.entries, ownerId: int64FromJson })

export const players = v.object({ ...records.players.entries, players: v.array(player) })
export const farmhands = v.object({ ...records.farmhands.entries, farmhands: v.array(farmhand) })
export const cabins = v.object({
  ...records.cabins.entries,
  cabins: v.array(cabin),
  savedPositionPlayerIds: v.array(int64FromJson),
})
export const { status, timestamp } = records

/**
 * What is told of `GameEvent`: all but chat, which travels as numbered lines, and what follows from two
 * statuses (`statusEvents`), which the edge sees for itself, over a lost link too.
 */
export const toldEvent = v.variant('type', [
  v.object({ type: v.literal('player_joined'), player }),
  v.object({ type: v.literal('player_left'), player }),
  v.object({ type: v.literal('status_changed'), status }),
  v.object({ type: v.literal('rendering_changed'), fps: v.number() }),
  v.object({ type: v.literal('cabin_changed'), cabins }),
])

const label = v.string()
/** `GameFailure`. */
export const failure = v.variant('kind', [
  v.object({
    kind: v.literal('unavailable'),
    because: v.exactOptional(v.picklist(['key_refused', 'rate_limited'])),
    retryAfter: v.exactOptional(v.number()),
  }),
  v.object({ kind: v.literal('not_ready') }),
  v.object({ kind: v.literal('timeout'), write: v.boolean() }),
  v.object({ kind: v.literal('bad_response'), detail: v.string() }),
  v.object({ kind: v.literal('unsupported'), what: v.string() }),
  v.object({ kind: v.literal('farmhand_not_found'), label }),
  v.object({ kind: v.literal('farmhand_online'), label, change: v.picklist(['delete', 'rebind']) }),
  v.object({ kind: v.literal('player_not_found'), label }),
  v.object({ kind: v.literal('save_in_progress') }),
  v.object({ kind: v.literal('players_connected'), count: v.exactOptional(v.number()) }),
])
