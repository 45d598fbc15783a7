/** Variables that the control API and the Worker share, with one default for both (docs/configuration.md). */
import * as v from 'valibot'
import type { Rates } from '../lib/rate-limit.ts'
import { flag, httpAddress, list, logLevel, wholeNumber } from '../lib/values.ts'
import type { DiscordSettings } from '../services/discord/signed-commands.ts'

const rate = wholeNumber(0, 1_000_000_000)
const origins = v.pipe(
  list,
  v.array(
    v.pipe(
      v.string(),
      v.check(
        (text) => URL.parse(text)?.origin === text.toLowerCase(),
        'use origins such as https://panel.example, separated by commas',
      ),
    ),
  ),
)

const basePath = v.pipe(
  v.string(),
  v.regex(
    /^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._~-]+)*\/?$/,
    'use a path such as /farm, without . and .. as parts',
  ),
  v.transform((text) => text.replace(/\/$/, '')),
)

export const commonEntries = {
  API_BASE_PATH: v.optional(basePath, ''),
  ALLOWED_ORIGINS: v.optional(origins, ''),
  PUBLIC_INVITE_CODES: v.optional(flag, 'false'),
  PUBLIC_BADGE: v.optional(flag, 'true'),
  /** Missing, or 200. */
  REFUSALS: v.optional(v.picklist(['200'], 'use 200, or leave it out')),
  RATE_LIMIT_READS: v.optional(rate, '600'),
  RATE_LIMIT_WRITES: v.optional(rate, '60'),
  RATE_LIMIT_ANONYMOUS: v.optional(rate, '600'),
  RATE_LIMIT_FAILED_KEYS: v.optional(rate, '10'),
  WS_MAX_CLIENTS: v.optional(wholeNumber(1, 1_000_000), '2000'),
  DISCORD_PUBLIC_KEY: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[0-9a-fA-F]{64}$/, 'use the public key of the application, 64 hexadecimal digits'),
    ),
  ),
  DISCORD_API_URL: v.optional(httpAddress, 'https://discord.com/api/v10'),
  LOG_LEVEL: v.optional(logLevel, 'info'),
}

const common = v.object(commonEntries)
type CommonValues = v.InferOutput<typeof common>

/** @returns undefined where Discord is not set up */
export const discordOf = ({
  DISCORD_PUBLIC_KEY: publicKey,
  DISCORD_API_URL: apiUrl,
}: CommonValues): DiscordSettings | undefined => (publicKey === undefined ? undefined : { publicKey, apiUrl })

/** The four rate limits: requests a minute; 0 is unlimited. */
export const ratesOf = (values: CommonValues): Rates => ({
  reads: values.RATE_LIMIT_READS,
  writes: values.RATE_LIMIT_WRITES,
  anonymous: values.RATE_LIMIT_ANONYMOUS,
  failedKeys: values.RATE_LIMIT_FAILED_KEYS,
})
