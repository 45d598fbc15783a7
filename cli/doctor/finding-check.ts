/** Each finding as a line of `farmgate doctor`, in the words of the command line. */
import { type Finding, type FindingCode, findings } from '../../client/findings.ts'
import type { Check } from './check.ts'

interface Words {
  readonly check: string
  readonly found: string
  readonly fix?: string
}

const signIn = 'Sign in: docker compose run --rm ticket login'

const daysText = (days: number | undefined) => `${days} ${days === 1 ? 'day' : 'days'}`

const words: Readonly<
  Record<
    FindingCode,
    (value: number | undefined, of: number | undefined, version: string | undefined) => Words
  >
> = {
  game_runs: () => ({ check: 'game', found: 'it runs' }),
  game_unreachable: () => ({
    check: 'game',
    found: 'farmgate does not reach it',
    fix: 'Start the game server; /help/troubleshooting#causes has the causes.',
  }),
  game_frozen: (milliseconds) => ({
    check: 'game',
    found: `it is frozen: no tick for ${milliseconds ?? 'unknown'} ms`,
    fix: 'Look at its log, and restart the game server.',
  }),
  game_without_farm: () => ({
    check: 'game',
    found: 'it answers, but has no farm loaded',
    fix: 'Wait until it has started; otherwise look at its log.',
  }),
  game_host_ready: () => ({ check: 'game host', found: 'farmgate can start and stop the game' }),
  game_host_not_set_up: () => ({
    check: 'game host',
    found: 'farmgate cannot start or stop the game: GAME_HOST is not set',
  }),
  mods_load: (count = 0) => ({ check: 'mods', found: `${count}, none with a problem` }),
  mods_broken: (count = 0) => ({
    check: 'mods',
    found: `${count} with a problem`,
    fix: 'farmgate mods shows which, and why.',
  }),
  mods_not_set_up: () => ({ check: 'mods', found: 'farmgate does not see them: MODS_DIR is not set' }),
  next_save_unknown: () => ({
    check: 'next start',
    found: "what it loads is not known: no JunimoServer's pointer can be read",
  }),
  next_save_missing: () => ({
    check: 'next start',
    found: "it creates a new farm: JunimoServer's pointer names a save that is not there",
    fix: 'Choose a save: farmgate saves load, or the Saves view of the dashboard.',
  }),
  game_host_unreachable: () => ({
    check: 'game host',
    found: 'what runs the game does not answer',
    fix: 'Check GAME_HOST and its variables; farmgate restart names the cause.',
  }),
  game_host_other: () => ({
    check: 'game host',
    found: 'the game answers, but the process that farmgate would stop does not run',
    fix: 'GAME_HOST or GAME_API_URL names another game: make them name the same.',
  }),
  joining_works: () => ({ check: 'joining', found: 'players on Steam and GOG can join' }),
  joining_steam_lost: () => ({
    check: 'joining',
    found: 'the game server has lost its Steam session',
    fix: 'It connects again automatically; if it does not, check the ticket service.',
  }),
  joining_lobby_down: () => ({
    check: 'joining',
    found: 'the lobby on GOG Galaxy is down, so new players cannot join',
    fix: 'It recovers automatically; if it does not, restart the game server.',
  }),
  joining_relay_pending: () => ({
    check: 'joining',
    found: 'players on GOG can join, players on Steam cannot yet',
    fix: 'Wait a minute; if it stays, check the ticket service.',
  }),
  joining_sign_in_lost: () => ({
    check: 'joining',
    found: 'the game server cannot sign in to Steam',
    fix: 'Check the ticket service and its sign-in.',
  }),
  joining_sign_in_ending: () => ({
    check: 'joining',
    found: 'the sign-in to Steam ends soon',
    fix: signIn,
  }),
  records_written: () => ({ check: 'records', found: 'they are written to disk' }),
  records_in_memory: () => ({
    check: 'records',
    found: 'keys, audit and history are kept in memory only',
    fix: 'Look at the log of farmgate, and at the disk and the rights of DATA_DIR.',
  }),
  clocks_agree: () => ({ check: 'clock', found: 'both clocks agree' }),
  clocks_differ: (seconds) => ({
    check: 'clock',
    found: `the farm's clock differs by ${seconds} s`,
    fix: 'Let both machines set their clocks by NTP.',
  }),
  ticket_service_away: () => ({
    check: 'ticket service',
    found: 'farmgate does not reach it',
    fix: 'Start it, and check PLATFORM_AUTH_URL.',
  }),
  steam_signed_in: () => ({ check: 'Steam session', found: 'signed in' }),
  steam_signed_out: () => ({
    check: 'Steam session',
    found: 'the ticket service is not signed in',
    fix: signIn,
  }),
  token_lasts: (days) => ({ check: 'Steam token', found: `${daysText(days)} left` }),
  token_ends_soon: (days) => ({ check: 'Steam token', found: `it ends in ${daysText(days)}`, fix: signIn }),
  token_ended: () => ({ check: 'Steam token', found: 'it has ended', fix: signIn }),
  token_unknown: () => ({
    check: 'Steam token',
    found: 'how long it lasts is not known',
    fix: 'Look at the log of the ticket service.',
  }),
  wrong_farm: () => ({
    check: 'farm',
    found: 'the game does not play the farm that it is expected to play',
    fix: 'GET /saves shows both. POST /saves/choose loads the right one; POST /saves/expect says that another one is right.',
  }),
  link_up: () => ({ check: 'link', found: 'the farm is connected to the edge' }),
  link_down: () => ({
    check: 'link',
    found: 'the farm is not connected to the edge',
    fix: 'Look for the link in the log of farmgate, and check EDGE_URL and EDGE_LINK_KEY.',
  }),
  backups_not_made: () => ({
    check: 'backups',
    found: 'none are made: farmgate sees no saves',
    fix: 'Set SAVES_DIR (/help/backups).',
  }),
  backups_none: () => ({
    check: 'backups',
    found: 'there is no verified one yet',
    fix: 'Make one: farmgate backups make',
  }),
  backups_recent: (hours = 0) => ({ check: 'backups', found: ageOf(hours) }),
  backups_old: (hours = 0) => ({
    check: 'backups',
    found: ageOf(hours),
    fix: 'If anyone has played since, look at the log of farmgate.',
  }),
  backups_failing: () => ({
    check: 'backups',
    found: 'the last one failed',
    fix: 'GET /backups shows what is failing, and the log of farmgate has the cause.',
  }),
  copies_failed: (failed, of) => ({
    check: 'off-site copies',
    found: `${failed} of ${of} backups could not be copied`,
    fix: 'The log of farmgate has the cause: "backups cannot be copied off-site".',
  }),
  webhooks_arrive: (count) => ({ check: 'webhooks', found: `${count}, and what was sent last has arrived` }),
  webhooks_off: (off, of) => ({
    check: 'webhooks',
    found: `${off} of ${of} are turned off: the receiver reported that it no longer exists`,
    fix: 'farmgate webhooks shows which; delete them, and add again those that you still want.',
  }),
  webhooks_failing: (failing, of) => ({
    check: 'webhooks',
    found: `${failing} of ${of} failed when they were tried last`,
    fix: 'farmgate webhooks shows their ids, and farmgate webhooks deliveries <id> the cause.',
  }),
  update_available: (_value, _of, version) => ({
    check: 'newer release',
    found: `farmgate ${version} is available`,
    fix: 'Update in the folder of the stack: ./farmgate update',
  }),
  discord_bound: (servers) => ({ check: 'Discord', found: `bound Discord servers: ${servers}` }),
  discord_unbound: () => ({
    check: 'Discord',
    found: 'commands are set up, but no Discord server is bound to the farm',
    fix: 'Register the commands: farmgate discord register. Then bind a server: farmgate discord code',
  }),
  discord_not_set_up: (servers) => ({
    check: 'Discord',
    found: `bound Discord servers: ${servers}, but DISCORD_PUBLIC_KEY is not set here, or is malformed`,
    fix: 'Set it to the Public Key of the application, 64 hexadecimal digits, and restart or deploy.',
  }),
}

function ageOf(hours: number): string {
  const age =
    hours < 2 ? 'less than 2 hours' : hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`
  return `the last verified one is ${age} old`
}

export function checkOf({ found, value, of, version, cause }: Finding): Check {
  const { check, ...rest } = words[found](value, of, version)
  const said = cause === undefined ? rest : { found: cause.message, fix: cause.next }
  return { check, state: findings[found], ...said }
}
