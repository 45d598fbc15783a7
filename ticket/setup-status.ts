import type { DownloadAmount } from './download-port.ts'

/** Why the set-up cannot continue; the page has a sentence and a remedy for each. */
export type SetupFailure =
  | 'qr_expired'
  | 'denied'
  | 'wrong_account'
  | 'refused'
  | 'steam_offline'
  | 'steam_rate_limited'
  | 'disk_full'
  | 'not_saved'
  | 'download_failed'

/** A sign-in by QR code in the browser. `idle`: none has begun, or the last one succeeded. */
export type BrowserSignInStatus =
  | { readonly state: 'idle' }
  | {
      readonly state: 'waiting'
      /** Undefined until Steam has sent the first; Steam replaces it from time to time. */
      readonly url: string | undefined
      /** When the sign-in ends, milliseconds since 1970. */
      readonly expiresAt: number
    }
  | { readonly state: 'failed'; readonly code: SetupFailure; readonly sentence: string }

/** What the session thread knows of the set-up. Plain data, so that it can be sent between threads. */
export interface SetupStatus {
  readonly signIn: BrowserSignInStatus
  /** The name of the account that is logged on; undefined for a token from the environment. */
  readonly account: string | undefined
  /** Undefined while nothing is downloaded. */
  readonly amount: DownloadAmount | undefined
}
