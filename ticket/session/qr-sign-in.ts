import type { StoredSession } from './session-file.ts'
import { type SignInOptions, signIn } from './sign-in.ts'

/**
 * Signs in the account that scans a QR code.
 * @param show receives the address in the code; Steam replaces it from time to time
 * @throws LogonError
 */
export function signInByQr(options: SignInOptions, show: (url: string) => void): Promise<StoredSession> {
  return signIn(options, {
    begin(session) {
      // The library reports a new code only in `debug` events.
      session.on('debug', (_name: unknown, poll: unknown) => {
        const url = newChallenge(poll)
        if (url) show(url)
      })
      return session.startWithQR()
    },
    async confirm({ started }) {
      if (started.qrChallengeUrl) show(started.qrChallengeUrl)
    },
  })
}

function newChallenge(poll: unknown): string | undefined {
  if (typeof poll !== 'object' || poll === null || !('newChallengeUrl' in poll)) return undefined
  return typeof poll.newChallengeUrl === 'string' && poll.newChallengeUrl ? poll.newChallengeUrl : undefined
}
