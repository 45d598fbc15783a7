/**
 * Every error of the API: its status, and for people its cause and its fix, in words that the API's documents, the
 * command line and the page share. The page has its Chinese by the same codes. It imports nothing, so that programs
 * without the API can read it.
 */
interface ProblemRow extends Words {
  readonly status: number
  /** The same request can succeed a little later; the response has `Retry-After`. */
  readonly isRetryable?: true
}

interface Words {
  /** A sentence. */
  readonly cause: string
  /** What the reader can do: a sentence. */
  readonly fix: string
}

/** The Worker shows none of them: in its bundle this function is empty, and esbuild drops the call with its arguments. */
function words(cause: string, fix: string): Words
function words(cause: string, fix: string): unknown {
  if (!import.meta.isWorker) return { cause, fix }
}

const again = 'Try again a little later.'
const wait = 'Wait until it has ended.'
const shorter = 'Send less.'
const missing = (what: string, fix = 'List them again.') =>
  ({ status: 404, ...words(`${what} no longer exists.`, fix) }) as const

export const problemTable = {
  invalid_parameter: {
    status: 400,
    ...words('A value is missing or wrong.', 'Correct the value that the response names.'),
  },
  archive_refused: {
    status: 400,
    ...words(
      'The archive is damaged or hostile, or lacks what is expected in it.',
      'Choose another archive, or make this one again.',
    ),
  },
  refused_address: {
    status: 400,
    ...words(
      'The address of the webhook is not public.',
      'Use a public one, or list its host in WEBHOOK_PRIVATE_HOSTS.',
    ),
  },
  malformed_request: {
    status: 400,
    ...words(
      'The request is not HTTP, or not a WebSocket handshake.',
      'Look for a proxy in front of farmgate that changes requests.',
    ),
  },
  unauthorized: {
    status: 401,
    ...words('farmgate does not accept the key.', 'Use a valid key of this farm.'),
  },
  origin_not_allowed: {
    status: 403,
    ...words(
      'A web page of another origin tried to write, or to open /ws.',
      'List its origin in ALLOWED_ORIGINS of the farm.',
    ),
  },
  insufficient_scope: {
    status: 403,
    ...words('The key does not allow this.', 'Use a key with the scope that the response names.'),
  },
  other_browser: {
    status: 403,
    ...words(
      'Another browser has opened this link.',
      'Use that browser, or restart the ticket service for a new link.',
    ),
  },
  not_found: {
    status: 404,
    ...words('There is no such path.', 'Compare the path with /docs, and check the prefix of a proxy.'),
  },
  player_not_found: missing('This player', 'List the players again.'),
  farmhand_not_found: missing('This farmhand'),
  key_not_found: missing('This key'),
  backup_not_found: missing('This backup'),
  webhook_not_found: missing('This webhook'),
  delivery_not_found: missing('This delivery'),
  discord_server_not_found: missing('This Discord server'),
  operation_not_found: missing('This operation'),
  schedule_not_found: missing('This schedule'),
  save_not_found: missing('This save'),
  mod_not_found: missing('This mod'),
  pack_link_not_found: missing('This link', 'Ask an operator of the farm for a new link.'),
  download_not_found: missing('This address', 'Begin the download again.'),
  farm_not_found: missing('This farm'),
  action_not_found: missing('This action', 'Begin it again.'),
  account_not_found: missing('This account'),
  invitation_not_found: missing('This invitation', 'Ask for a new one.'),
  method_not_allowed: {
    status: 405,
    ...words('The path does not support this method.', 'Use one that the Allow header lists.'),
  },
  wait_timeout: { status: 408, ...words('Nothing changed before the timeout.', 'Ask again.') },
  farmhand_online: {
    status: 409,
    ...words('The player of this farmhand is online.', 'Wait until the player has left.'),
  },
  save_in_progress: { status: 409, isRetryable: true, ...words('The game is saving.', again) },
  ambiguous_name: {
    status: 409,
    ...words('Several players have this name.', 'Use the id in place of the name.'),
  },
  players_connected: {
    status: 409,
    ...words('Players are online.', 'Try again when all players have left.'),
  },
  too_many_keys: { status: 409, ...words('There are too many keys.', 'Revoke one.') },
  settings_changed: {
    status: 409,
    isRetryable: true,
    ...words(
      'server-settings.json was changed at the same moment. Your changes were not saved.',
      'Save again: farmgate writes only your changes and keeps the others.',
    ),
  },
  settings_unusable: {
    status: 409,
    ...words(
      'farmgate cannot read or write server-settings.json. The file is unchanged.',
      'Correct the file by hand, or mount its folder so that farmgate can write to it.',
    ),
  },
  too_many_webhooks: { status: 409, ...words('There are too many webhooks.', 'Delete one.') },
  too_many_schedules: { status: 409, ...words('There are too many schedules.', 'Delete one.') },
  too_many_invitations: { status: 409, ...words('There are too many invitations.', 'Delete one.') },
  too_many_pack_links: { status: 409, ...words('There are too many links to the mods.', 'Revoke one.') },
  not_signed_in: {
    status: 409,
    ...words('No one is signed in: a key is not an account.', 'Sign in on the page of the farm.'),
  },
  keys_exist: { status: 409, ...words('The farm has keys already.', 'Sign in with one of them.') },
  restore_refused: {
    status: 409,
    ...words('farmgate cannot restore this backup. Nothing was changed.', 'Choose another one.'),
  },
  save_exists: {
    status: 409,
    ...words('A save has this name already.', 'Load that one, or move it out of Saves first.'),
  },
  saves_locked: {
    status: 409,
    isRetryable: true,
    ...words('A restore, an import or an upload changes the saves.', wait),
  },
  save_refused: {
    status: 409,
    ...words('The game did not load this save.', 'Look for the cause in the log of the game.'),
  },
  host_undecided: {
    status: 409,
    ...words(
      'A person has hosted this save.',
      'Say who plays that farmer: hostTo with a Steam64 or GOG id, or hostTo=server.',
    ),
  },
  restart_needed: { status: 409, ...words('The game has an old pointer in memory.', 'Restart the game.') },
  mod_needed: {
    status: 409,
    ...words('Other enabled mods need this one.', 'Change those first, or use force=true.'),
  },
  already_running: { status: 409, ...words('The game is already running.', 'Restart it instead.') },
  not_running: { status: 409, ...words('The game is not running.', 'Start it instead.') },
  operation_running: {
    status: 409,
    ...words('Another operation is running.', 'Wait until it has ended, or cancel it.'),
  },
  too_late: { status: 409, ...words('It is too late to cancel this operation.', wait) },
  payload_too_large: { status: 413, ...words('The body is too long.', shorter) },
  uri_too_long: { status: 414, ...words('The URL is too long.', shorter) },
  unsupported_media_type: {
    status: 415,
    ...words('The Content-Type is not supported.', 'Send the Content-Type that /docs names.'),
  },
  range_not_satisfiable: { status: 416, ...words('The range begins after the end.', 'Begin at 0.') },
  upgrade_required: {
    status: 426,
    ...words('/ws needs a WebSocket.', 'Open it as one, and let the proxy pass Upgrade.'),
  },
  rate_limited: {
    status: 429,
    isRetryable: true,
    ...words('Too many requests at once.', 'Wait a minute, and try again.'),
  },
  headers_too_large: { status: 431, ...words('The headers are too long.', shorter) },
  internal_error: {
    status: 500,
    ...words(
      'farmgate has an internal error.',
      "Look for the request's id in the log of farmgate, and report it.",
    ),
  },
  unsupported: { status: 501, ...words('Not available here.', 'The response says what is missing.') },
  bad_game_response: {
    status: 502,
    ...words(
      "GAME_API_URL is not the address of the game's API.",
      'Check the address, and the version of the game server.',
    ),
  },
  restore_undone: {
    status: 502,
    ...words(
      'The game did not load the backup. farmgate put the previous save back.',
      'If the game does not load it either, restart the game. Its log has the cause.',
    ),
  },
  issuer_unavailable: {
    status: 502,
    isRetryable: true,
    ...words('The sign-in provider does not respond.', again),
  },
  updates_unavailable: {
    status: 502,
    isRetryable: true,
    ...words("SMAPI's update API does not respond.", 'Try again later, or check MODS_UPDATES_URL.'),
  },
  game_unavailable: {
    status: 503,
    isRetryable: true,
    ...words(
      'The game server cannot be reached.',
      'Check that it is running; farmgate doctor finds the cause.',
    ),
  },
  server_not_ready: {
    status: 503,
    isRetryable: true,
    ...words('The farm is not ready: it is loading the world or saving the day.', again),
  },
  not_configured: {
    status: 503,
    isRetryable: true,
    ...words('The edge has no keys.', 'Set API_KEY or FLEET_KEY at the edge.'),
  },
  too_many_clients: {
    status: 503,
    isRetryable: true,
    ...words(
      'Too many WebSocket clients are connected.',
      'Try again later, or raise WS_MAX_CLIENTS of the farm.',
    ),
  },
  host_unavailable: {
    status: 503,
    isRetryable: true,
    ...words(
      'farmgate cannot reach what runs the game.',
      'Check GAME_HOST and its variables; farmgate doctor finds the cause.',
    ),
  },
  ticket_service_unavailable: {
    status: 503,
    isRetryable: true,
    ...words('The ticket service does not respond.', 'Check PLATFORM_AUTH_URL and the ticket service.'),
  },
  game_timeout: {
    status: 504,
    isRetryable: true,
    ...words(
      'The game did not respond in time, so a change may have been made.',
      'Check whether the change was made before you try again.',
    ),
  },
  disk_failed: {
    status: 507,
    ...words(
      'The disk of the backups or saves is full or cannot be used.',
      'Make room; the log of farmgate has the details.',
    ),
  },
  disk_low: {
    status: 507,
    ...words(
      'Nothing was written: the disk has only its reserve of free space left.',
      'Make room, or delete old backups.',
    ),
  },
} as const satisfies Readonly<Record<string, ProblemRow>>

export type ProblemCode = keyof typeof problemTable

export const statusOf = (code: ProblemCode): number => problemTable[code].status

export const isRetryable = (code: ProblemCode): boolean => 'isRetryable' in problemTable[code]

/** Whether a text is the code of an error of the API. */
export const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(problemTable, code)
