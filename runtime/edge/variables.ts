/** Every variable and secret of the Worker (docs/configuration.md). */
import * as v from 'valibot'
import { httpAddress } from '../../lib/values.ts'
import { commonEntries } from '../common-variables.ts'

const key = v.optional(v.string())

export const variables = {
  schema: v.object({
    /** Key of the default farm's clients. */
    API_KEY: key,
    /** Key of the default farm's own machine. */
    LINK_KEY: key,
    /** Key of the fleet's operator, who creates and revokes farms. */
    FLEET_KEY: key,
    /** Receives the events of the fleet. */
    FLEET_WEBHOOK_URL: v.optional(httpAddress),
    FLEET_WEBHOOK_SECRET: v.optional(
      v.pipe(
        v.string(),
        v.regex(/^whsec_[A-Za-z0-9+/]{32,200}={0,2}$/, 'must be whsec_ and at least 24 bytes in base64'),
      ),
    ),
    ...commonEntries,
  }),
  traits: {
    API_KEY: { secret: true },
    LINK_KEY: { secret: true },
    FLEET_KEY: { secret: true },
    FLEET_WEBHOOK_URL: { secret: true },
    FLEET_WEBHOOK_SECRET: { secret: true },
    // A URL may contain a password.
    DISCORD_API_URL: { secret: true },
  },
} as const
