import type { TicketConfig } from '../config.ts'
import { failureOf, LogonError } from '../errors.ts'
import type { BrowserSignInStatus, SetupFailure } from '../setup-status.ts'
import { checkAccount, type SessionContext } from './open-session.ts'

interface BrowserSignInParts extends Omit<SessionContext, 'signal' | 'prompter'> {
  readonly config: TicketConfig
  /** A new session was saved. */
  onSaved(username: string): Promise<void>
}

export function browserSignIn({ onSaved, ...context }: BrowserSignInParts) {
  const { config, clock, store, log } = context
  let status: BrowserSignInStatus = { state: 'idle' }
  let stop = new AbortController()
  let running: Promise<void> = Promise.resolve()

  async function run(signal: AbortSignal): Promise<void> {
    const set = (next: BrowserSignInStatus) => {
      if (!signal.aborted) status = next
    }
    const expiresAt = clock.now() + context.approvalTimeout
    set({ state: 'waiting', url: undefined, expiresAt })
    try {
      const options = { ...context, signal, prompter: undefined, proxy: config.proxy }
      const { signInByQr } = await import('./qr-sign-in.ts')
      const signedIn = await signInByQr({ ...options, answerTimeout: context.logonTimeout }, (url) =>
        set({ state: 'waiting', url, expiresAt }),
      )
      const session = checkAccount(config, signedIn)
      try {
        await store.save(session)
      } catch (error) {
        const { kind, message } = failureOf(error)
        const code = kind === 'disk_full' ? 'disk_full' : 'not_saved'
        return set({ state: 'failed', code, sentence: `The session could not be saved: ${message}` })
      }
      log.info({}, 'A browser signed in to Steam. The session is saved')
      await onSaved(session.username)
      set({ state: 'idle' })
    } catch (error) {
      if (signal.aborted) return
      const { message } = failureOf(error)
      log.warn({}, `The sign-in in the browser failed: ${message}`)
      set({ state: 'failed', code: codeOf(error), sentence: `Not signed in: ${message}` })
    }
  }

  return {
    status: () => status,
    /** Begins a sign-in. One that is in progress ends, and its QR code no longer works. */
    begin() {
      stop.abort(new Error('a newer sign-in began'))
      stop = new AbortController()
      running = run(stop.signal)
    },
    /** Ends the sign-in that is in progress. */
    async close(): Promise<void> {
      stop.abort(new Error('the service stops'))
      await running
    },
  }
}

function codeOf(error: unknown): SetupFailure {
  if (!(error instanceof LogonError)) return 'steam_offline'
  switch (error.kind) {
    case 'person_needed':
      return 'qr_expired'
    case 'rate_limited':
      return 'steam_rate_limited'
    case 'unreachable':
      return 'steam_offline'
    case 'rejected':
      // A refusal without a result of Steam is that of `checkAccount`.
      return error.result === undefined
        ? 'wrong_account'
        : error.result === 'AccessDenied'
          ? 'denied'
          : 'refused'
  }
}
