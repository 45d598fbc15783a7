/** Every variable of the ticket service: its allowed values and its default (docs/configuration.md). */
import * as v from 'valibot'
import type { VariableTraits } from '../lib/environment.ts'
import { isUserName } from '../lib/platform-user-name.ts'
import { flag, list, logFormat, logLevel, pageAddress, port, wholeNumber } from '../lib/values.ts'

/** @returns whether a text can be `TICKET_KEY`, which may be a segment of a path. */
export const isTicketKey = (text: string): boolean => /^[\w.~-]{16,}$/.test(text)

const userName = v.pipe(
  v.string(),
  v.check(
    isUserName,
    'use the account name as on the sign-in page: letters, digits, _ - . @, at most 64, no path',
  ),
)

const proxyAddress = v.pipe(
  v.string(),
  v.transform((text) => (text.includes('://') ? text : `http://${text}`)),
  v.check(
    (text) => ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? ''),
    'use the address of an HTTP proxy, such as http://proxy:3128',
  ),
  v.check(
    (text) => hasReadableCredentials(text),
    'the user name or password has a % that begins no code of a character; write it as %25',
  ),
)

/** Whether the credentials of an address can be decoded. The URL parser leaves a wrong `%` as it is. */
function hasReadableCredentials(address: string): boolean {
  const { username = '', password = '' } = URL.parse(address) ?? {}
  try {
    decodeURIComponent(username + password)
    return true
  } catch {
    return false
  }
}

/** Adds the existing sidecar's name (`STEAM_…`), which is read when `PLATFORM_…` is not set. */
const platform = (name: string, traits: VariableTraits = {}): VariableTraits => ({
  aliases: [`STEAM_${name}`],
  ...traits,
})

export const variables = {
  schema: v.object({
    PLATFORM_USERNAME: v.optional(userName),
    PLATFORM_PASSWORD: v.optional(v.string()),
    PLATFORM_REFRESH_TOKEN: v.optional(
      v.pipe(
        v.string(),
        v.regex(/^[\w-]+\.[\w-]+\.[\w-]+$/, 'use a refresh token as export-token prints it'),
      ),
    ),
    PLATFORM_KEEP_LANGUAGES: v.optional(list, ''),
    PLATFORM_APP_ID: v.optional(wholeNumber(1, 4_294_967_295), '413150'),
    PLATFORM_PROXY: v.optional(proxyAddress),
    PORT: v.optional(port, '3001'),
    PUBLIC_URL: v.optional(pageAddress, 'http://localhost:8080'),
    HOST: v.optional(v.pipe(v.string(), v.regex(/^[\w.:%-]+$/, 'use an address such as 127.0.0.1'))),
    TICKET_KEY: v.optional(
      v.pipe(
        v.string(),
        v.check(
          isTicketKey,
          'use 16 or more of the characters A-Z a-z 0-9 - . _ ~ (make one: openssl rand -hex 24)',
        ),
      ),
    ),
    KEYS_DIR: v.optional(v.string()),
    SESSION_DIR: v.optional(v.string()),
    GAME_DIR: v.optional(v.string(), '/data/game'),
    FORCE_REDOWNLOAD: v.optional(flag, 'false'),
    VALIDATE_ON_BOOT: v.optional(flag, 'false'),
    DOWNLOAD_CONNECTIONS: v.optional(wholeNumber(1, 128), '16'),
    DOWNLOAD_WORKERS: v.optional(wholeNumber(1, 64)),
    DOWNLOAD_EXCLUDE: v.optional(list, ''),
    LOG_LEVEL: v.optional(logLevel, 'info'),
    LOG_FORMAT: v.optional(logFormat),
  }),
  traits: {
    PLATFORM_USERNAME: platform('USERNAME'),
    PLATFORM_PASSWORD: platform('PASSWORD', { secret: true, file: true }),
    PLATFORM_REFRESH_TOKEN: platform('REFRESH_TOKEN', { secret: true, file: true }),
    PLATFORM_KEEP_LANGUAGES: platform('KEEP_LANGUAGES'),
    PLATFORM_APP_ID: platform('APP_ID'),
    // These addresses may contain a password.
    PUBLIC_URL: { secret: true },
    PLATFORM_PROXY: platform('PROXY', { borrowed: ['HTTPS_PROXY', 'https_proxy'], secret: true, file: true }),
    TICKET_KEY: { secret: true, file: true, made: true },
  },
}
