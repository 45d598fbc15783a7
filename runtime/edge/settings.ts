/** The variables of contract section 1 that are the Worker's too; what is no value of one counts as not set. */
import type { Rates } from '../http/rate-limit.ts'
import type { EdgeEnv } from './env.ts'

export interface EdgeSettings {
  readonly rates: Rates
  readonly maxClients: number
  readonly allowedOrigins: readonly string[]
  readonly publicInviteCodes: boolean
}

const whole = (text: string | undefined, otherwise: number): number =>
  text !== undefined && /^[0-9]{1,9}$/.test(text) ? Number(text) : otherwise

export const settingsOf = (env: EdgeEnv): EdgeSettings => ({
  rates: {
    reads: whole(env.RATE_LIMIT_READS, 600),
    writes: whole(env.RATE_LIMIT_WRITES, 60),
    anonymous: whole(env.RATE_LIMIT_ANONYMOUS, 600),
    failedKeys: whole(env.RATE_LIMIT_FAILED_KEYS, 10),
  },
  maxClients: whole(env.WS_MAX_CLIENTS, 2000),
  allowedOrigins: (env.ALLOWED_ORIGINS ?? '')
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== ''),
  publicInviteCodes: /^(true|1|yes)$/i.test(env.PUBLIC_INVITE_CODES ?? ''),
})
