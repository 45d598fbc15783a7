import { describe, expect, test } from 'vitest'
import { namesOf } from '../../lib/environment.ts'
import { meantBy } from '../../lib/misspelling.ts'
import { variables as edge } from '../../runtime/edge/variables.ts'
import { variables as api } from '../../runtime/node/variables.ts'
import { variables as ticket } from '../../ticket/config-variables.ts'
import { readText } from '../compose.ts'

const known = {
  api: new Set(Object.values(namesOf(api)).flat()),
  edge: new Set(Object.values(namesOf(edge)).flat()),
  ticket: new Set(Object.values(namesOf(ticket)).flat()),
}
const all = new Set(Object.values(known).flatMap((names) => [...names]))

describe('a name within two letters of a known one counts as a misspelling of it', () => {
  test.each([
    ['GAME_API_URI', 'GAME_API_URL'],
    ['GAME_AIP_URL', 'GAME_API_URL'],
    ['GMAE_API_URL', 'GAME_API_URL'],
    ['GAME_URL_API', undefined],
    ['GAMEAPI_KEY', 'GAME_API_KEY'],
    ['API_KEYS', 'API_KEY'],
    ['API_KEY_FILES', 'API_KEY_FILE'],
    ['API_PROT', 'API_PORT'],
    ['RATE_LIMITS_READ', 'RATE_LIMIT_READS'],
    ['ALLOWED_ORIGIN', 'ALLOWED_ORIGINS'],
    ['ALOWED_ORIGIN', 'ALLOWED_ORIGINS'],
    ['LOG_LVL', 'LOG_LEVEL'],
    ['LOG_LEVEL_', 'LOG_LEVEL'],
    ['PLATFROM_USERNAME', 'PLATFORM_USERNAME'],
    ['STEAM_USERNMAE', 'STEAM_USERNAME'],
    ['PLATFORM_PASSWORT_FILE', 'PLATFORM_PASSWORD_FILE'],
    ['TICKETKEY', 'TICKET_KEY'],
    ['APIKEY', 'API_KEY'],
    ['PAI_KEY', 'API_KEY'],
    ['LGO_LEVEL', 'LOG_LEVEL'],
    ['EDGR_URL', 'EDGE_URL'],
    ['EGDE_ULR', 'EDGE_URL'],
    ['APIPORT', 'API_PORT'],
    ['TICKET_KEYS', 'TICKET_KEY'],
    ['EDGE_ULR', 'EDGE_URL'],
  ])('%s: %s', (name, meant) => {
    expect(meantBy(name, all)).toBe(meant)
  })

  test('of two similar names, the more similar one is meant', () => {
    expect(meantBy('SIM_SPEEDY', all)).toBe('SIM_SPEED')
    expect(meantBy('SIM_SEEDS', all)).toBe('SIM_SEED')
  })
})

/** Names that engines, shells, CI services, panels and other programs set in environments. */
const others =
  `PATH HOME HOSTNAME HOST PORT SHELL USER LOGNAME LANG LC_ALL LANGUAGE TERM TZ PWD OLDPWD SHLVL _ EDITOR
  PAGER TMPDIR TMP TEMP DISPLAY MAIL XDG_SESSION_ID XDG_RUNTIME_DIR XDG_CONFIG_HOME DBUS_SESSION_BUS_ADDRESS
  SESSION_ID SESSION_MANAGER SSH_AUTH_SOCK SSH_CLIENT SSH_CONNECTION SSH_TTY SUDO_USER INVOCATION_ID JOURNAL_STREAM
  SYSTEMD_EXEC_PID MEMORY_PRESSURE_WATCH NOTIFY_SOCKET LISTEN_PID LISTEN_FDS CREDENTIALS_DIRECTORY STATE_DIRECTORY
  HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy ALL_PROXY FTP_PROXY SSL_CERT_FILE SSL_CERT_DIR
  NODE_ENV NODE_OPTIONS NODE_PATH NODE_VERSION NODE_EXTRA_CA_CERTS NODE_COMPILE_CACHE YARN_VERSION NO_COLOR
  FORCE_COLOR COLORTERM npm_config_cache npm_config_loglevel npm_lifecycle_event npm_package_json INIT_CWD
  CI GITHUB_ACTIONS GITHUB_TOKEN GITHUB_API_URL GITHUB_RUN_ID GITHUB_REF RUNNER_OS RUNNER_TEMP GITLAB_CI CI_JOB_ID
  CI_API_V4_URL CI_SERVER_HOST CI_SERVER_PORT CI_PROJECT_DIR BUILD_ID BUILD_URL JOB_NAME WORKSPACE
  KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_PORT KUBERNETES_PORT_443_TCP API_SERVICE_HOST
  API_SERVICE_PORT API_PORT_8080_TCP API_PORT_8080_TCP_ADDR TICKET_SERVICE_HOST TICKET_SERVICE_PORT TICKET_PORT
  TICKET_PORT_3001_TCP GAME_SERVICE_HOST GAME_SERVICE_PORT GAME_PORT GAME_PORT_24642_UDP EDGE_PORT EDGE_SERVICE_HOST
  API_KEY_2 API_KEY2 API_KEY_OLD GAME_API_KEY_2 APP_KEY APP_PORT APP_HOST APP_URL APP_ENV API_URL API_TOKEN API_ENV
  RPC_PORT ADB_PORT SAP_PORT FTP_HOST WEB_HOST DB_HOST DB_PORT REDIS_URL LOG_FILE LOG_DIR LOGLEVEL DEBUG VERBOSE SERVER_IP SERVER_PORT SERVER_HOST P_SERVER_UUID
  STARTUP STEAM_USER STEAM_PASS STEAM_AUTH SRCDS_APPID GAME_ID POST HOSTS PORTS CONTAINER container
  container_uuid PUID PGID UMASK COMPOSE_PROJECT_NAME COMPOSE_FILE DOCKER_HOST
  CLOUDFLARE_ACCOUNT_ID CLOUDFLARE_API_TOKEN WRANGLER_SEND_METRICS CF_PAGES`.split(/\s+/)
/** Variables of the existing server and of its bot. */
const game =
  `VNC_PASSWORD VNC_PORT SERVER_TPS SERVER_FPS SDVD_TPS_AGNOSTIC_PACING SETTINGS_PATH API_ENABLED API_PORT
  API_KEY SERVER_PASSWORD MAX_LOGIN_ATTEMPTS AUTH_TIMEOUT_SECONDS STEAM_AUTH_URL STEAM_AUTH_PORT IMAGE_VERSION
  STEAM_ACCOUNTS DISCORD_BOT_TOKEN DISCORD_BOT_NICKNAME DISCORD_CHAT_CHANNEL_ID UPDATE_INTERVAL_MS
  HEALTH_CHECK_SECONDS VERBOSE_LOGGING DISPLAY_WIDTH DISPLAY_HEIGHT USER_ID GROUP_ID KEEP_APP_RUNNING`.split(
    /\s+/,
  )

describe('other unknown variables are ignored', () => {
  test.each(Object.entries(known))(
    'those of container engines, shells and CI services, by the %s',
    (_, names) => {
      for (const name of [...others, ...game])
        if (!names.has(name)) expect([name, meantBy(name, names)]).toEqual([name, undefined])
    },
  )

  test.each(Object.entries(known))('those of the other processes of farmgate, by the %s', (_, names) => {
    for (const name of all)
      if (!names.has(name)) expect([name, meantBy(name, names)]).toEqual([name, undefined])
  })

  test.each(Object.entries(known))(
    'those of .env.example, if all of them are passed to the %s',
    (_, names) => {
      for (const [, name = ''] of readText('.env.example').matchAll(/^([A-Z_]+)=/gm))
        if (!names.has(name)) expect([name, meantBy(name, names)]).toEqual([name, undefined])
    },
  )
})
