/** The failures of a farm's ports: one closed union, thrown by bridges and services and mapped to HTTP errors in `problem.ts`. */
import * as v from 'valibot'
import { hostOperation } from './host-record.ts'
import { limitedKinds } from './limits.ts'
import { saveHost } from './save-host.ts'

/** Bounds of what a farm sends: these texts appear in answers and in the log. */
const label = v.pipe(v.string(), v.maxLength(8192))
const words = v.pipe(v.string(), v.maxLength(1024))

/** What did not answer, where it was not the game. */
const of = v.exactOptional(v.picklist(['records', 'farm']))

/** The schema of a failure, by which it is sent over the link from the farm to the edge. */
export const farmFailure = v.variant('kind', [
  /** The game cannot be reached, or it rejects farmgate (key, rate limit). The call had no effect. */
  v.object({
    kind: v.literal('unavailable'),
    of,
    because: v.exactOptional(v.picklist(['key_refused', 'rate_limited'])),
    /** Seconds to wait, from the game's `Retry-After`. */
    retryAfter: v.exactOptional(v.pipe(v.number(), v.minValue(0), v.maxValue(86_400))),
  }),
  /** The game answers, but no world is loaded, or the night between two days is running. */
  v.object({ kind: v.literal('not_ready') }),
  /**
   * No answer: the call's budget is over, or a write was sent and the connection was lost before its answer. A write
   * may or may not have happened.
   */
  v.object({ kind: v.literal('timeout'), of, write: v.boolean() }),
  /** The answer does not fit the game's API; `detail` is for the log only. A write may have happened. */
  v.object({ kind: v.literal('bad_response'), of, detail: words, write: v.exactOptional(v.boolean()) }),
  /** An argument is out of its bounds; `sentence` says so to the caller. The call had no effect. */
  v.object({ kind: v.literal('invalid_argument'), sentence: words, parameter: v.exactOptional(words) }),
  /** `what` completes "This game server cannot …", or "farmgate cannot …" where the set-up is the reason. */
  v.object({
    kind: v.literal('unsupported'),
    what: words,
    by: v.exactOptional(v.literal('farmgate')),
    /** The farm does not know this call of its edge. */
    isUnknownCall: v.exactOptional(v.literal(true)),
  }),
  v.object({ kind: v.literal('farmhand_not_found'), label }),
  v.object({
    kind: v.literal('farmhand_online'),
    label,
    /** The change that was requested. */
    change: v.picklist(['delete', 'rebind']),
  }),
  v.object({ kind: v.literal('player_not_found'), label }),
  v.object({ kind: v.literal('save_in_progress') }),
  /** The game would load what it keeps in memory, which is not a save. */
  v.object({ kind: v.literal('restart_needed') }),
  /** The disk of the farm's machine fails or is full; `detail` is the system's code, or the reason. */
  v.object({ kind: v.literal('disk_failed'), detail: words }),
  /**
   * A backup or an upload would use the free space that is kept in reserve. The call had no effect. `what` is the
   * beginning of the sentence, which ends with the disk.
   */
  v.object({ kind: v.literal('disk_low'), what: v.exactOptional(words) }),
  /** Someone else changed the settings file meanwhile; it stays as it is. */
  v.object({ kind: v.literal('settings_changed') }),
  /** The settings file cannot be read or written; `sentence` says why, and nothing was changed. */
  v.object({ kind: v.literal('settings_file'), sentence: words }),
  /** A backup cannot be restored; `sentence` says why, and nothing was changed. */
  v.object({ kind: v.literal('restore_refused'), sentence: words }),
  /** The game does not play the restored save; `sentence` says why. The earlier save is in its place again. */
  v.object({ kind: v.literal('restore_undone'), sentence: words }),
  /** An uploaded archive is refused; `sentence` says why. The call had no effect. */
  v.object({ kind: v.literal('archive_refused'), sentence: words }),
  /** An uploaded save has the name of an existing one. The call had no effect. */
  v.object({ kind: v.literal('save_exists'), sentence: words }),
  /** Another change of the saves is under way. The call had no effect. */
  v.object({ kind: v.literal('saves_locked') }),
  /** A person has hosted the save, and the call does not say who is to play that farmer. The call had no effect. */
  v.object({ kind: v.literal('host_undecided'), host: saveHost }),
  /** The game has not loaded the chosen save; `sentence` says why. */
  v.object({ kind: v.literal('save_refused'), sentence: words }),
  /** Enabled mods need the mod; their ids. The call had no effect. */
  v.object({ kind: v.literal('mod_needed'), neededBy: v.pipe(v.array(label), v.maxLength(1000)) }),
  /** The server that knows of updates of mods does not answer, or not as its API says; `sentence` says which. */
  v.object({ kind: v.literal('updates_unavailable'), sentence: words }),
  v.object({
    kind: v.literal('players_connected'),
    count: v.exactOptional(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
  }),
  /** The host of the game's process does not answer, or refuses; `sentence` says which and why, without secrets. */
  v.object({ kind: v.literal('host_unavailable'), sentence: words }),
  /** The provider of a sign-in does not answer, or not as its API says; `sentence` says which. */
  v.object({ kind: v.literal('issuer_unavailable'), sentence: words }),
  /** There are as many records of the kind as a farm may have. The call had no effect. */
  v.object({ kind: v.literal('too_many'), of: v.picklist(limitedKinds) }),
  /** A webhook's address is private, and `WEBHOOK_PRIVATE_HOSTS` does not list it. The call had no effect. */
  v.object({ kind: v.literal('refused_address'), host: label }),
  v.object({ kind: v.literal('already_running') }),
  v.object({ kind: v.literal('not_running') }),
  v.object({ kind: v.literal('operation_running'), operation: hostOperation }),
  /** The operation has begun to stop the game, or has ended. */
  v.object({ kind: v.literal('too_late') }),
])

export type FarmFailure = Readonly<v.InferOutput<typeof farmFailure>>

export class FarmError extends Error {
  override readonly name = 'FarmError'
  readonly failure: FarmFailure
  constructor(failure: FarmFailure) {
    super(failure.kind)
    this.failure = failure
  }
}

/** @param what completes "farmgate cannot …" */
export const farmgateCannot = (what: string) => new FarmError({ kind: 'unsupported', by: 'farmgate', what })

/**
 * Whether a change may have been made although it failed with this error. Errors other than a `FarmError` do not show
 * it.
 */
export const mayBeMade = (error: unknown): boolean =>
  !(error instanceof FarmError) || ('write' in error.failure && error.failure.write === true)

/** The same failure, of a call to another part of the farm than its game. */
export const failureOf = (of: 'records' | 'farm', failure: FarmFailure): FarmFailure =>
  failure.kind === 'unavailable' || failure.kind === 'timeout' || failure.kind === 'bad_response'
    ? { ...failure, of }
    : failure

/**
 * The failure of a call whose answer is lost, for any reason: a read can be repeated; the outcome of a write is
 * unknown.
 */
export const lostAnswer = (effect: 'read' | 'write'): FarmFailure =>
  effect === 'write' ? { kind: 'timeout', write: true } : { kind: 'unavailable' }

/** The failure of a change of settings where no settings file is mounted. */
export const noSettingsFile: FarmFailure = {
  kind: 'unsupported',
  by: 'farmgate',
  what: 'change the settings: there is no file at SETTINGS_PATH',
}
