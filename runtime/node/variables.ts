/** Every variable of the control API, with its values and its default (docs/configuration.md). */

import * as v from 'valibot'
import { foreignValue } from '../../lib/foreign/read.ts'
import {
  clientKey,
  flag,
  hasCredentials,
  httpAddress,
  list,
  logFormat,
  oneOf,
  pageAddress,
  port,
  wholeNumber,
} from '../../lib/values.ts'
import type { KeepRule } from '../../services/backups/keep.ts'
import { type Command, drivers } from '../../services/host/host-variables.ts'
import { commonEntries } from '../common-variables.ts'

/** A key of the game or the edge may be any text that a header can carry. */
const foreignKey = v.pipe(
  v.string(),
  v.regex(/^[\x20-\x7e]+$/, 'may hold only ASCII characters; no header carries another'),
)

const speeds = 'use a number from 0.001 to 9999.999'
const speed = v.pipe(
  v.string(),
  v.regex(/^[0-9]{1,4}(\.[0-9]{1,3})?$/, speeds),
  v.transform(Number),
  v.minValue(0.001, speeds),
)

/** Names and addresses as in a URL, without a port. */
const hosts = v.pipe(
  list,
  v.array(
    v.pipe(
      v.string(),
      v.regex(
        /^[A-Za-z0-9._:-]+$/,
        'use names or addresses such as ntfy.lan or 192.168.1.5, separated by commas, without ports and brackets',
      ),
    ),
  ),
)

/** Longer than the age of the game. */
const days = wholeNumber(0, 36_500)

const keepRules = 'use days=14,weeks=8,months=12, with whole numbers up to 36500; what is left out is 0'
const keepRule = v.pipe(
  v.string(),
  v.regex(/^(days|weeks|months)=[0-9]{1,5}(,(days|weeks|months)=[0-9]{1,5}){0,2}$/, keepRules),
  v.transform((text) => text.split(',').map((part) => part.split('='))),
  v.check((parts) => new Set(parts.map(([name]) => name)).size === parts.length, keepRules),
  v.transform((parts): KeepRule => {
    const of = (wanted: string) => Number(parts.find(([name]) => name === wanted)?.[1] ?? 0)
    return { days: of('days'), weeks: of('weeks'), months: of('months') }
  }),
  v.check((rule) => Object.values(rule).every((count) => count <= 36_500), keepRules),
)

const isLoopback = (host: string) =>
  host === 'localhost' || host === '[::1]' || /^127(\.[0-9]+){3}$/.test(host)

/** @param what plain HTTP would show on the way */
const isSafe = (what: string) =>
  v.check<string, string>((text) => {
    const address = URL.parse(text)
    return address?.protocol !== 'http:' || isLoopback(address.hostname)
  }, `plain http would show ${what} on the way; use https:// (http only to this machine)`)

/** @param what plain HTTP would show on the way */
const safeAddress = (what: string) => v.pipe(httpAddress, isSafe(what))

const edgeAddress = safeAddress('the link key')

const updatesAddress = v.pipe(
  httpAddress,
  v.check((text) => !hasCredentials(text), 'contains a user name or password; use the address without them'),
)

/** With the slash at its end, where it has one: it is compared with what the issuer says of itself. */
const issuer = v.pipe(
  v.string(),
  v.check(
    (text) => v.is(safeAddress(''), text),
    'use the https:// address of the issuer (http only to this machine)',
  ),
)

/** Complete addresses of one farm at several instances of an edge. */
const edgeAddresses = v.pipe(list, v.array(edgeAddress), v.minLength(1, 'names no address'))

const bucket = v.pipe(
  httpAddress,
  v.check((text) => {
    const address = URL.parse(text)
    return address === null || (/^\/[^/]/.test(address.pathname) && address.search + address.hash === '')
  }, 'use the address of a bucket and, behind it, a prefix: https://s3.example/bucket/farm'),
  v.check(
    (text) => !hasCredentials(text),
    'contains a user name or password; use BACKUP_S3_ACCESS_KEY_ID and BACKUP_S3_SECRET_ACCESS_KEY',
  ),
)

const minPassphraseLength = 16

/** It must be too long to guess, and of characters that can be typed into `age -d`. */
const passphrase = v.pipe(
  v.string(),
  v.minLength(
    minPassphraseLength,
    `is shorter than ${minPassphraseLength} characters; use 32 random bytes as base64 (openssl rand -base64 32)`,
  ),
  v.regex(/^\P{Cc}*$/u, 'must not have a line break or other control character: no one can type it'),
)

const commands = 'use a JSON array of a program and its arguments, such as ["/usr/bin/game","start"]'
const command = v.pipe(
  v.string(),
  v.transform((text) => foreignValue(text)),
  v.array(v.string(commands), commands),
  v.check(([program = '']) => program !== '', commands),
  v.transform(([program = '', ...args]): Command => [program, ...args]),
)

const engine = v.pipe(
  v.string(),
  v.regex(/^(unix:\/\/\/.+|tcp:\/\/[^/:]+:[0-9]{1,5})$/, 'use unix:///path/of/the/socket or tcp://host:port'),
)

export const variables = {
  schema: v.object({
    API_ENABLED: v.optional(flag, 'true'),
    API_PORT: v.optional(port, '8080'),
    API_HOST: v.optional(v.string()),
    API_KEY: v.optional(clientKey),
    KEYS_DIR: v.optional(v.string()),
    ALLOW_INSECURE_SETUP: v.optional(flag, 'false'),
    GAME_BRIDGE: v.optional(oneOf(['upstream', 'simulated'])),
    GAME_API_URL: v.optional(httpAddress),
    GAME_API_KEY: v.optional(foreignKey),
    PLATFORM_AUTH_URL: v.optional(httpAddress),
    SETTINGS_PATH: v.optional(v.string()),
    DATA_DIR: v.optional(v.string(), 'data'),
    SAVES_DIR: v.optional(v.string()),
    BACKUP_DIR: v.optional(v.string()),
    MODS_DIR: v.optional(v.string()),
    MODS_OFF_DIR: v.optional(v.string()),
    MODS_ACCESS: v.optional(oneOf(['ro', 'rw']), 'ro'),
    MODS_UPDATES: v.optional(flag, 'false'),
    MODS_UPDATES_URL: v.optional(updatesAddress, 'https://smapi.io/api/v4.0.0/mods'),
    UPDATE_CHECK: v.optional(flag, 'false'),
    FARMGATE_RELEASES: v.optional(updatesAddress, 'https://github.com/farmgate/farmgate/releases'),
    BACKUP_KEEP: v.optional(keepRule, 'days=14,weeks=8,months=12'),
    BACKUP_S3_URL: v.optional(bucket),
    BACKUP_S3_REGION: v.optional(
      v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,64}$/, 'use a region such as eu-central-1')),
    ),
    BACKUP_S3_ACCESS_KEY_ID: v.optional(foreignKey),
    BACKUP_S3_SECRET_ACCESS_KEY: v.optional(foreignKey),
    BACKUP_PASSPHRASE: v.optional(passphrase),
    AUDIT_DAYS: v.optional(days, '90'),
    HISTORY_DAYS: v.optional(days, '90'),
    CHAT_DAYS: v.optional(days, '30'),
    CHAT_KEEP: v.optional(flag, 'true'),
    GAME_HOST: v.optional(oneOf(drivers)),
    GAME_CONTAINER: v.optional(
      v.pipe(v.string(), v.regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/, 'use the name or the id of a container')),
    ),
    DOCKER_HOST: v.optional(engine, 'unix:///var/run/docker.sock'),
    GAME_UNIT: v.optional(
      v.pipe(
        v.string(),
        v.regex(/^[A-Za-z0-9:_.@\\][A-Za-z0-9:_.@\\-]*$/, 'use the name of a unit, such as stardew.service'),
      ),
    ),
    PELICAN_URL: v.optional(httpAddress),
    PELICAN_KEY: v.optional(foreignKey),
    PELICAN_SERVER: v.optional(
      v.pipe(
        v.string(),
        v.regex(
          /^[A-Za-z0-9-]{1,64}$/,
          'use the identifier of the server, as its address in the panel has it',
        ),
      ),
    ),
    GAME_START: v.optional(command),
    GAME_STOP: v.optional(command),
    GAME_RUNNING: v.optional(command),
    GAME_LOG: v.optional(v.string()),
    GAME_WATCHDOG: v.optional(oneOf(['off', 'notify', 'restart']), 'notify'),
    GAME_WATCHDOG_SECONDS: v.optional(wholeNumber(10, 86_400), '180'),
    WEBHOOK_PRIVATE_HOSTS: v.optional(hosts, ''),
    PUBLIC_URL: v.optional(v.pipe(pageAddress, isSafe('sessions'))),
    SIGN_IN_DISCORD_CLIENT_ID: v.optional(
      v.pipe(v.string(), v.regex(/^[0-9]{1,20}$/, 'use the client id of the Discord application, in digits')),
    ),
    SIGN_IN_DISCORD_CLIENT_SECRET: v.optional(foreignKey),
    SIGN_IN_OIDC_ISSUER: v.optional(issuer),
    SIGN_IN_OIDC_CLIENT_ID: v.optional(foreignKey),
    SIGN_IN_OIDC_CLIENT_SECRET: v.optional(foreignKey),
    SIGN_IN_OIDC_NAME: v.optional(v.pipe(v.string(), v.maxLength(32, 'use at most 32 characters'))),
    TRUST_PROXY: v.optional(wholeNumber(0, 16), '0'),
    LOG_FORMAT: v.optional(logFormat),
    EDGE_URL: v.optional(edgeAddresses),
    EDGE_LINK_KEY: v.optional(foreignKey),
    SIM_SEED: v.optional(v.string(), 'farmgate'),
    SIM_SPEED: v.optional(speed, '1'),
    ...commonEntries,
  }),
  traits: {
    DATA_DIR: { own: 'place' },
    SAVES_DIR: { own: 'place' },
    BACKUP_DIR: { own: 'place' },
    MODS_DIR: { own: 'place' },
    MODS_OFF_DIR: { own: 'place' },
    KEYS_DIR: { own: 'place' },
    SETTINGS_PATH: { own: 'place' },
    GAME_LOG: { own: 'place' },
    API_KEY: { secret: true, file: true, made: true, own: 'key' },
    GAME_API_KEY: { secret: true, file: true, made: true, own: 'key' },
    EDGE_LINK_KEY: { secret: true, file: true, own: 'key' },
    // Accounts at a service, which several farms may use.
    BACKUP_S3_ACCESS_KEY_ID: { secret: true },
    BACKUP_S3_SECRET_ACCESS_KEY: { secret: true, file: true },
    BACKUP_PASSPHRASE: { secret: true, file: true },
    PELICAN_KEY: { secret: true, file: true },
    SIGN_IN_DISCORD_CLIENT_SECRET: { secret: true, file: true },
    SIGN_IN_OIDC_CLIENT_SECRET: { secret: true, file: true },
    // A URL may contain a password, and the one of the ticket service contains its key.
    GAME_API_URL: { secret: true },
    PLATFORM_AUTH_URL: { secret: true },
    EDGE_URL: { secret: true },
    BACKUP_S3_URL: { secret: true, own: 'place' },
    PELICAN_URL: { secret: true },
    MODS_UPDATES_URL: { secret: true },
    FARMGATE_RELEASES: { secret: true },
    PUBLIC_URL: { secret: true },
    // Arguments of a program can be passwords.
    GAME_START: { secret: true },
    GAME_STOP: { secret: true },
    GAME_RUNNING: { secret: true },
    DISCORD_API_URL: { secret: true },
  },
} as const
