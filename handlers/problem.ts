/** An error of the API, its body, and the error of each failure of a game. */
import { type KnownCause, shownCause } from './cause.ts'
import { FarmError, type FarmFailure } from './farm-error.ts'
import { allows, type KeyHolder, lacks, type Scope } from './key-holder.ts'
import { limits } from './limits.ts'
import { isOutage } from './outages.ts'
import { isRetryable, type ProblemCode, statusOf } from './problem-table.ts'

export interface ProblemDetails {
  /** The query parameter, or the member of the body, at fault. */
  readonly parameter?: string
  /** The scope that the key lacks. */
  readonly scope?: Scope
  /** The unknown route, without its query. */
  readonly path?: string
  /** Seconds for `Retry-After`. */
  readonly retryAfter?: number
  /** Length in bytes of the whole, for `Content-Range`. */
  readonly bytes?: number
  /** Methods for `Allow`. */
  readonly allow?: string
  /** The code is retryable, but a repeat could make the change twice: `retry` is then omitted. */
  readonly isRepeatUnsafe?: true
  /** Further members of the body. */
  readonly beside?: object
}

export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly details: ProblemDetails
  /** @param sentence one sentence for a person; never contains a secret or a cause that the caller may not see */
  constructor(code: ProblemCode, sentence: string, details: ProblemDetails = {}) {
    super(sentence)
    this.code = code
    this.details = details
  }
  get status(): number {
    return statusOf(this.code)
  }
}

/** @throws {Problem} insufficient_scope */
export function requireScope(holder: KeyHolder, scope: Scope | undefined): void {
  if (scope !== undefined && !allows(holder, scope))
    throw new Problem('insufficient_scope', lacks(scope), { scope })
}

/** The JSON body of every error: `{"success":false,"error","code"}`, with `parameter`, `scope`, `path`, `retry` where they apply. */
export function problemBody({ message, code, details }: Problem): Readonly<Record<string, unknown>> {
  return {
    success: false,
    error: message,
    code,
    ...(details.parameter !== undefined && { parameter: details.parameter }),
    ...(details.scope !== undefined && { scope: details.scope }),
    ...(details.path !== undefined && { path: details.path }),
    ...(isRetryable(code) && details.isRepeatUnsafe !== true && { retry: true }),
    ...details.beside,
  }
}

/** Seconds of `Retry-After` when the game is offline or busy and sent no `Retry-After` itself. */
export const retryAfter = 5

function unavailable({
  because,
  of,
  retryAfter: wait,
}: Extract<FarmFailure, { kind: 'unavailable' }>): string {
  if (because === 'key_refused')
    return 'The game server refuses the key that farmgate shows it (GAME_API_KEY)'
  if (because === 'rate_limited')
    return `${asked(of)} limits how often farmgate may ask; try again in ${wait ?? retryAfter} s`
  return of === 'records' ? 'The records of the farm are not reachable' : `${asked(of)} is not reachable`
}

/** The request that failed. */
const asked = (of: 'records' | 'farm' | undefined): string =>
  of === undefined ? 'The game server' : of === 'farm' ? 'The farm' : 'The records of the farm'

/** Maps a failure of a game to the HTTP error of the answer. */
export function problemOf(failure: FarmFailure): Problem {
  switch (failure.kind) {
    case 'unavailable':
      return new Problem('game_unavailable', unavailable(failure), {
        retryAfter: failure.retryAfter ?? retryAfter,
      })
    case 'not_ready':
      return new Problem('server_not_ready', 'Server not ready: no world is loaded or a day is turning', {
        retryAfter,
      })
    case 'timeout':
      return failure.write
        ? new Problem(
            'game_timeout',
            `${asked(failure.of)} did not answer; whether the change was made is unknown`,
            { isRepeatUnsafe: true },
          )
        : new Problem('game_timeout', `${asked(failure.of)} did not answer in time`, { retryAfter })
    case 'bad_response':
      return new Problem(
        'bad_game_response',
        `${asked(failure.of)} answered something that is not its API${failure.write === true ? '; whether the change was made is unknown' : ''}`,
      )
    case 'invalid_argument':
      return new Problem('invalid_parameter', failure.sentence, {
        ...(failure.parameter !== undefined && { parameter: failure.parameter }),
      })
    case 'unsupported':
      return new Problem(
        'unsupported',
        `${failure.by === 'farmgate' ? 'farmgate' : 'This game server'} cannot ${failure.what}`,
      )
    case 'farmhand_not_found':
      return new Problem('farmhand_not_found', `Farmhand ${failure.label} not found`)
    case 'farmhand_online':
      return new Problem(
        'farmhand_online',
        `Cannot ${failure.change} farmhand ${failure.label} - currently online`,
      )
    case 'player_not_found':
      return new Problem('player_not_found', `Player ${failure.label} not found`)
    case 'save_in_progress':
      return new Problem('save_in_progress', 'Cannot change the farm while save is in progress', {
        retryAfter,
      })
    case 'restore_refused':
    case 'restore_undone':
    case 'archive_refused':
    case 'save_exists':
    case 'save_refused':
      return new Problem(failure.kind, failure.sentence)
    case 'host_undecided':
      return new Problem(
        'host_undecided',
        `${failure.host.name} has hosted this save. hostTo=<Steam64 or GOG id> keeps the farmer for that person; hostTo=server has the server take it over for good.`,
        { beside: { host: failure.host } },
      )
    case 'restart_needed':
      return new Problem(
        'restart_needed',
        "JunimoServer's pointer was repaired after a new game, and the game still has the old one in memory: restart it first",
      )
    case 'saves_locked':
      return new Problem(
        'saves_locked',
        'A restore, an import or an upload changes the saves; try again when it has ended',
        { retryAfter },
      )
    case 'disk_failed':
      return new Problem('disk_failed', `A disk of the farm's machine cannot be used: ${failure.detail}`)
    case 'mod_needed':
      return new Problem(
        'mod_needed',
        `Other enabled mods need this one: ${failure.neededBy.slice(0, 5).join(', ')}. Use force=true to do it anyway.`,
        { beside: { neededBy: failure.neededBy } },
      )
    case 'disk_low':
      return new Problem(
        'disk_low',
        `${failure.what ?? 'No backup was made: the disk with BACKUP_DIR'} has only its reserve of free space left. Free some space, or delete old backups.`,
      )
    case 'settings_changed':
      return new Problem(
        'settings_changed',
        'Someone else changed the settings file meanwhile; nothing was overwritten',
        { retryAfter },
      )
    case 'settings_file':
      return new Problem('settings_unusable', failure.sentence)
    case 'issuer_unavailable':
    case 'updates_unavailable':
      return new Problem(failure.kind, failure.sentence, { retryAfter })
    case 'host_unavailable':
      return new Problem('host_unavailable', failure.sentence, { retryAfter })
    case 'too_many': {
      const { of } = failure
      const remedy = of === 'keys' || of === 'pack_links' ? 'revoke' : 'delete'
      const what = of.replace('_', ' ')
      return new Problem(`too_many_${of}`, `There are ${limits[of]} ${what} already; ${remedy} one first`)
    }
    case 'refused_address':
      return new Problem(
        'refused_address',
        `farmgate sends nothing to ${failure.host}, which is not a public address. List it in WEBHOOK_PRIVATE_HOSTS to allow it.`,
        { parameter: 'url' },
      )
    case 'already_running':
      return new Problem('already_running', 'The game is already running')
    case 'not_running':
      return new Problem('not_running', 'The game is not running')
    case 'operation_running':
      return new Problem('operation_running', `Another operation is under way: ${failure.operation.action}`, {
        beside: { operation: failure.operation },
      })
    case 'too_late':
      return new Problem('too_late', 'This operation has already begun to stop the game, or has ended')
    case 'players_connected':
      return new Problem(
        'players_connected',
        failure.count === undefined
          ? 'Cannot determine whether players are connected; disconnect all players first'
          : `Cannot do this while ${failure.count} player(s) are connected; disconnect all players first`,
      )
  }
}

/**
 * The problem that a caught error is answered with. An error that is neither a `Problem` nor a `FarmError` is a bug, and its cause is not
 * shown.
 */
export function problemFrom(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof FarmError) return problemOf(error.failure)
  return new Problem('internal_error', 'Internal server error')
}

/** A failure of a game that does not serve, as a problem whose body has the outage's cause; any other error as it is. */
export function problemWithCause(error: unknown, cause: KnownCause | undefined): unknown {
  // Without the ticket service, for example, a night still has another reason.
  if (cause === undefined || !isOutage(cause.code) || !(error instanceof FarmError)) return error
  const { failure } = error
  const isOfGame =
    failure.kind === 'not_ready' || (failure.kind === 'unavailable' && failure.of === undefined)
  if (!isOfGame) return error
  const { code, message, details } = problemOf(failure)
  return new Problem(code, message, { ...details, beside: { cause: shownCause(cause) } })
}

/** The cause for the log; clients do not see it. */
export const causeOf = (error: unknown): unknown =>
  error instanceof FarmError ? error.failure : error instanceof Error ? (error.stack ?? error.message) : error
