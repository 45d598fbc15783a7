/**
 * The findings about a farm, good and bad, by the answers of its own API. A finding is a code with its figures; the
 * command line and the dashboard have separate words for it, and for its remedy.
 */
import type { Farm } from './index.ts'
import type { Cause, Health } from './types.ts'

export const findings = {
  game_runs: 'ok',
  /** The game answers, but has no farm loaded. */
  game_without_farm: 'warning',
  game_unreachable: 'broken',
  /** `value`: milliseconds since its last tick. */
  game_frozen: 'broken',
  /** Of what starts and stops the game. */
  game_host_ready: 'ok',
  game_host_not_set_up: 'ok',
  game_host_unreachable: 'broken',
  /** The game answers, although the process that farmgate would stop does not run. */
  game_host_other: 'broken',
  /** `value`: how many there are. */
  mods_load: 'ok',
  /** `value`: how many do not load. */
  mods_broken: 'warning',
  mods_not_set_up: 'ok',
  /** No pointer of JunimoServer can be read. */
  next_save_unknown: 'ok',
  /** The game's next start creates a new farm. */
  next_save_missing: 'broken',
  /** Of the game server's connections to Steam and GOG Galaxy, as a newer one reports it. */
  joining_works: 'ok',
  joining_steam_lost: 'broken',
  joining_lobby_down: 'broken',
  /** Players on GOG can join already, players on Steam cannot yet. */
  joining_relay_pending: 'warning',
  joining_sign_in_lost: 'broken',
  joining_sign_in_ending: 'warning',
  /** The game does not play the farm that it is expected to play. */
  wrong_farm: 'broken',
  records_written: 'ok',
  records_in_memory: 'broken',
  clocks_agree: 'ok',
  /** `value`: seconds that the farm's clock is ahead. */
  clocks_differ: 'warning',
  ticket_service_away: 'broken',
  steam_signed_in: 'ok',
  steam_signed_out: 'broken',
  /** `value`: days until the token of the Steam sign-in expires. */
  token_lasts: 'ok',
  /** `value`: the same days. */
  token_ends_soon: 'warning',
  token_ended: 'broken',
  token_unknown: 'warning',
  link_up: 'ok',
  link_down: 'broken',
  backups_not_made: 'warning',
  backups_none: 'warning',
  /** `value`: hours since the last verified backup. */
  backups_recent: 'ok',
  /** `value`: the same hours. Not a fault in itself: a farm that no one plays has no new backup. */
  backups_old: 'warning',
  backups_failing: 'broken',
  /** `value` of `of` backups have no off-site copy. */
  copies_failed: 'warning',
  /** `value`: number of webhooks. */
  webhooks_arrive: 'ok',
  /** `value` of `of` webhooks are turned off, because their receivers no longer exist. */
  webhooks_off: 'warning',
  /** `value` of `of` webhooks, whose last attempt failed. */
  webhooks_failing: 'warning',
  /** `version`: a newer release of farmgate. */
  update_available: 'warning',
  /** `value`: Discord servers that are bound to the farm. */
  discord_bound: 'ok',
  discord_unbound: 'warning',
  /** `value`: the same Discord servers; their commands are refused. */
  discord_not_set_up: 'warning',
} as const

export type FindingCode = keyof typeof findings

export interface Finding {
  readonly found: FindingCode
  readonly value?: number
  readonly of?: number
  readonly version?: string
  /** Why the game does not run as it should, in the words of the farm. */
  readonly cause?: Pick<Cause, 'message' | 'next'>
}

export const finding = (found: FindingCode, value?: number, of?: number): Finding => ({
  found,
  ...(value !== undefined && { value }),
  ...(of !== undefined && { of }),
})

export function gameFinding({
  status,
  gameAvailable,
  isFrozen,
  lastTickMs,
  cause,
}: Pick<Health, 'status' | 'gameAvailable' | 'isFrozen' | 'lastTickMs'> & Pick<Finding, 'cause'>): Finding {
  if (status === 'ok' && gameAvailable) return finding('game_runs')
  const found = isFrozen
    ? finding('game_frozen', lastTickMs)
    : finding(status === 'ok' ? 'game_without_farm' : 'game_unreachable')
  return cause === undefined ? found : { ...found, cause }
}

/** A newer game server's report on the ways to join it; nothing for one that does not report them. */
export function joiningFindings({
  galaxyLobby,
  steamSession,
  steamRelayReady,
  authReadiness,
}: Pick<Health, 'galaxyLobby' | 'steamSession' | 'steamRelayReady' | 'authReadiness'>): Finding[] {
  const lost = [
    ...(steamSession === 'lost' ? [finding('joining_steam_lost')] : []),
    ...(galaxyLobby === 'down' || galaxyLobby === 'recovering' ? [finding('joining_lobby_down')] : []),
    ...(steamSession === 'connected' && steamRelayReady === false ? [finding('joining_relay_pending')] : []),
    ...(authReadiness === 'unavailable' ? [finding('joining_sign_in_lost')] : []),
    ...(authReadiness === 'expiring' ? [finding('joining_sign_in_ending')] : []),
  ]
  if (lost.length > 0) return lost
  return steamSession === 'connected' && steamRelayReady === true ? [finding('joining_works')] : []
}

export const recordsFinding = (records: string): Finding =>
  finding(records === 'ok' ? 'records_written' : 'records_in_memory')

/** Maximum difference of two clocks in milliseconds. */
const clockTolerance = 5000

/** @param ahead milliseconds by which the farm's clock is ahead of this one */
export const clockFinding = (ahead: number): Finding =>
  Math.abs(ahead) > clockTolerance
    ? finding('clocks_differ', Math.round(ahead / 1000))
    : finding('clocks_agree')

export type JoinReport = Awaited<ReturnType<Farm['join']>>

/** The first of its checks that is wrong. */
export const firstWrong = ({ checks, first }: JoinReport) => checks.find(({ check }) => check === first)

/** The report of `GET /join` with the comparison of two clocks, which only another machine can make: this one. */
export function withClock({ checks }: JoinReport, { found, value }: Finding): JoinReport {
  const clock =
    found === 'clocks_differ'
      ? {
          check: 'clock' as const,
          state: 'wrong' as const,
          message: `The clock of the farm differs by ${Math.abs(value ?? 0)} s from the one of this device.`,
          next: 'Synchronize both clocks with NTP.',
        }
      : { check: 'clock' as const, state: 'ok' as const, message: 'Both clocks agree.' }
  const all = checks.map((one) => (one.check === 'clock' ? clock : one))
  const first = all.find(({ state }) => state === 'wrong')?.check
  return { checks: all, ...(first !== undefined && { first }) }
}

/** Remaining days of the token of the Steam sign-in from which its end is a warning. */
const soon = 30

/** The state of the ticket service's sign-in to Steam. */
interface SteamSignIn {
  readonly isSignedIn: boolean
  /** Days until its token expires; undefined when that is not known. */
  readonly daysLeft: number | undefined
}

export function signInFindings({ isSignedIn, daysLeft }: SteamSignIn): Finding[] {
  const session = finding(isSignedIn ? 'steam_signed_in' : 'steam_signed_out')
  if (daysLeft === undefined) return [session, finding('token_unknown')]
  if (daysLeft <= 0) return [session, finding('token_ended')]
  return [session, finding(daysLeft <= soon ? 'token_ends_soon' : 'token_lasts', daysLeft)]
}

/**
 * The findings about the right farm, the ticket service and the link; none about one that the farm does not have.
 * @param metrics answer of `GET /metrics`
 */
export function metricsFindings(metrics: string): Finding[] {
  const value = (name: string) => new RegExp(`^farmgate_${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(metrics)?.[1]
  const available = value('ticket_service_available')
  const days = Number(value('ticket_service_token_days_remaining'))
  const link = value('link_up')
  const ticketService =
    available === undefined
      ? []
      : available !== '1'
        ? [finding('ticket_service_away')]
        : signInFindings({
            isSignedIn: value('ticket_service_logged_in') === '1',
            daysLeft: days < 0 ? undefined : days,
          })
  const rightFarm = value('wrong_farm') === '1' ? [finding('wrong_farm')] : []
  return [
    ...rightFarm,
    ...ticketService,
    ...(link === undefined ? [] : [finding(link === '1' ? 'link_up' : 'link_down')]),
  ]
}

const hour = 3_600_000
/** Hours since the last verified backup from which its age is a warning. */
const longAgo = 7 * 24

/** The used members of the answer of `GET /backups`. */
interface BackupsSeen {
  readonly backups: readonly { readonly offsite: string }[]
  readonly state: {
    readonly saves: string
    readonly lastVerifiedAt?: string | undefined
    readonly failing?: string | undefined
  }
}

/** @param now milliseconds since 1970 */
export function backupFindings({ backups, state }: BackupsSeen, now: number): Finding[] {
  const failed = backups.filter(({ offsite }) => offsite === 'failed').length
  const age = state.failing === undefined ? ageFinding(state, now) : finding('backups_failing')
  return [age, ...(failed === 0 ? [] : [finding('copies_failed', failed, backups.length)])]
}

function ageFinding({ saves, lastVerifiedAt }: BackupsSeen['state'], now: number): Finding {
  if (saves === 'absent') return finding('backups_not_made')
  if (lastVerifiedAt === undefined) return finding('backups_none')
  const hours = Math.max(0, Math.floor((now - Date.parse(lastVerifiedAt)) / hour))
  return finding(hours < longAgo ? 'backups_recent' : 'backups_old', hours)
}
