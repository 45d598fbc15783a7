/** The set-up in the browser, as the control API passes it on to the ticket service. */
import * as v from 'valibot'
import type { BegunWrite } from './audit-entry.ts'
import { timestamp } from './game-records.ts'

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const name = v.pipe(v.string(), v.maxLength(64))

/** The answer of `GET /setup`. */
export const setupView = v.object({
  state: v.picklist(['sign_in', 'waiting', 'no_licence', 'downloading', 'installed', 'failed']),
  account: v.exactOptional(name),
  qr: v.exactOptional(
    v.object({
      url: v.pipe(v.string(), v.maxLength(200), v.regex(/^https:\/\/s\.team\/[\w/?=&.-]+$/)),
      expiresAt: timestamp,
    }),
  ),
  download: v.exactOptional(
    v.object({ bytes: count, totalBytes: count, bytesPerSecond: count, secondsLeft: v.nullable(count) }),
  ),
  error: v.exactOptional(v.pipe(v.string(), v.maxLength(1000))),
  code: v.exactOptional(
    v.picklist([
      'qr_expired',
      'denied',
      'wrong_account',
      'refused',
      'steam_offline',
      'steam_rate_limited',
      'disk_full',
      'not_saved',
      'download_failed',
    ]),
  ),
})
type SetupView = v.InferOutput<typeof setupView>

export type SetupPath = '/setup' | '/setup/sign-in' | '/setup/download'

/** What of a request is passed on. */
export interface SetupCall {
  readonly method: 'GET' | 'POST'
  readonly authorization: string | undefined
  readonly cookie: string | undefined
  /** Of the client. */
  readonly address: string
  /** Aborted when the client has left. */
  readonly over?: AbortSignal | undefined
}

export interface SetupPort {
  /**
   * @returns the state, and the value of a new cookie
   * @throws {Problem} unauthorized, other_browser, not_found, not_signed_in, rate_limited,
   * ticket_service_unavailable
   */
  pass(
    path: SetupPath,
    call: SetupCall,
  ): Promise<{ readonly view: SetupView; readonly cookie?: string | undefined }>
  /**
   * Makes a key with all scopes for the browser that has the code, on a farm that has no named key and no session yet.
   * @returns `stored` as other changes of keys (`deletion.ts`)
   * @throws {Problem} as `pass`; keys_exist
   */
  makeKey(
    call: SetupCall,
    from: Pick<BegunWrite, 'requestId' | 'address' | 'isCommand'>,
  ): Promise<{ readonly key: string; readonly stored?: 'memory'; readonly cookie?: string | undefined }>
}
