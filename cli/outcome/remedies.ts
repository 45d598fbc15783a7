/** What the user can do about each failure, by its code (docs/api.md, docs/bot.md, and the client's own). */

const address = 'Check the address, and that farmgate runs there; farmgate doctor looks for the cause.'
const notFarmgate =
  'Check the address: it is the one in front of /status, with the path of the farm if it has one.'
const shorter = 'Send less.'
const versions = 'The farm has another version: farmgate doctor shows both. Update the older one.'
const proxy = 'Look for a proxy in front of farmgate that changes requests.'

/** @param isRepeatable whether the answer says that the same request may succeed later */
export function remedyOf(code: string, isRepeatable: boolean): string | undefined {
  if (code === 'game_timeout' && isRepeatable) return 'Try again; farmgate doctor looks for the cause.'
  return Object.hasOwn(remedies, code) ? remedies[code] : undefined
}

const remedies: Readonly<Record<string, string>> = {
  unreachable: address,
  timeout: address,
  bad_answer: notFarmgate,
  invalid_parameter: 'Fix the value; --help has examples, and /docs of the farm what each path takes.',
  invalid_payload: 'Say a text of at most 4000 characters, by an author of at most 32.',
  message_too_long: 'Say it in several lines.',
  malformed_request: proxy,
  malformed: versions,
  unknown_type: versions,
  unknown_topic: versions,
  unauthorized: 'Give the key of this farm: farmgate login <url>, FARMGATE_KEY, or --key-file.',
  origin_not_allowed: 'List the origin in ALLOWED_ORIGINS of the farm.',
  insufficient_scope: 'Use a key that may do this: farmgate keys lists them.',
  not_found: 'The paths are listed at /docs of the farm.',
  player_not_found: 'farmgate players lists who is connected.',
  farmhand_not_found: 'farmgate farmhands lists them.',
  key_not_found: 'farmgate keys lists them.',
  backup_not_found: 'farmgate backups lists them.',
  webhook_not_found: 'farmgate webhooks lists them.',
  delivery_not_found: 'farmgate webhooks deliveries <id> lists them.',
  discord_server_not_found: 'farmgate discord lists them.',
  operation_not_found: 'farmgate operations lists them.',
  mod_not_found: 'farmgate mods lists them.',
  mod_needed: 'Change those mods first, or use --force.',
  schedule_not_found: 'farmgate schedules lists them.',
  farm_not_found: 'farmgate fleet lists them.',
  action_not_found: 'Begin the action again.',
  account_not_found: 'The view Keys of the dashboard lists them.',
  invitation_not_found: 'Ask for a new invitation.',
  too_many_invitations: 'Delete one that is no longer used, in the dashboard.',
  not_signed_in: 'Sign in on the page of the farm.',
  other_browser: 'Use the browser that opened the link first, or restart the ticket service.',
  keys_exist: 'Sign in with an existing key.',
  ticket_service_unavailable: 'Check PLATFORM_AUTH_URL and the ticket service.',
  issuer_unavailable: 'Try to sign in again later.',
  already_running: 'Restart the game instead: farmgate restart',
  not_running: 'Start the game instead: farmgate start',
  operation_running: 'Wait until it has ended, or cancel it: farmgate operations cancel <id>',
  too_late: 'Wait until it has ended: farmgate operations lists it.',
  too_many_schedules: 'Delete one that is no longer used: farmgate schedules lists them.',
  host_unavailable: 'Check GAME_HOST and its variables; farmgate doctor looks for the cause.',
  method_not_allowed: 'Use another method; they are listed at /docs of the farm.',
  wait_timeout: 'Ask again.',
  farmhand_online: 'Try again when the player has left.',
  save_in_progress: 'Try again when the new day has begun.',
  ambiguous_name: 'Use the id in place of the name; the list shows it.',
  players_connected: 'Try again when all players have left.',
  too_many_keys: 'Revoke one that is no longer used: farmgate keys lists them.',
  too_many_webhooks: 'Remove one that is no longer used: farmgate webhooks lists them.',
  settings_changed: 'Look at what was changed, and try again.',
  settings_unusable: 'Fix the settings file by hand, or mount its folder writable.',
  restore_refused: 'Choose another backup: farmgate backups lists them.',
  restore_undone: 'Look for the cause in the log of the game server.',
  payload_too_large: shorter,
  uri_too_long: shorter,
  headers_too_large: shorter,
  unsupported_media_type: 'Give the body as JSON, with --data.',
  range_not_satisfiable: 'Fetch it from the beginning.',
  upgrade_required: 'Open it as a WebSocket: farmgate chat.',
  rate_limited: 'Wait a minute, and try again.',
  internal_error: 'Look for the cause in the log of farmgate.',
  unsupported: 'If farmgate cannot do it, docs/configuration.md says which variable to set.',
  bad_game_response: 'Check GAME_API_URL of the farm, and the version of its game server.',
  game_unavailable: 'Check that the game server runs; farmgate doctor looks for the cause.',
  server_not_ready: 'Try again when the new day has begun.',
  not_configured: 'Set API_KEY or FLEET_KEY at the edge.',
  too_many_clients: 'Try again later, or raise WS_MAX_CLIENTS of the farm.',
  disk_failed: 'Make room on the disk of the backups.',
  disk_low: 'Free some space on the disk of the backups, or delete old backups: farmgate backups delete <id>',
  game_timeout: 'Look whether the change was made before you try again.',
  outcome_unknown: 'Look whether the line was said before you say it again.',
}
