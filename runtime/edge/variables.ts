/** Every variable and secret of the Worker (docs/configuration.md). */
import * as v from 'valibot'
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
    ...commonEntries,
  }),
  traits: {
    API_KEY: { secret: true },
    LINK_KEY: { secret: true },
    FLEET_KEY: { secret: true },
    // A URL may contain a password.
    DISCORD_API_URL: { secret: true },
  },
} as const
