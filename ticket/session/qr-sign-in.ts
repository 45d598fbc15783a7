import qrcode from 'qrcode-terminal'
import type { Prompter } from '../../lib/terminal/prompter.ts'
import type { StoredSession } from './session-file.ts'
import { type SignInOptions, signIn } from './sign-in.ts'

/** Shows a QR code and signs in the account that scans it. @throws LogonError */
export function signInByQr(options: SignInOptions & { readonly prompter: Prompter }): Promise<StoredSession> {
  const show = (url: string) =>
    qrcode.generate(url, { small: true }, (lines) =>
      options.prompter.say(`\n${lines}\nOr open ${url} on the phone.\n`),
    )
  return signIn(options, {
    begin(session) {
      // Steam replaces the code from time to time. The library reports the new one only in `debug` events.
      session.on('debug', (_name: unknown, poll: unknown) => {
        const url = newChallenge(poll)
        if (url) show(url)
      })
      return session.startWithQR()
    },
    async confirm({ started }) {
      options.prompter.say('Scan this code with the Steam mobile app:')
      if (started.qrChallengeUrl) show(started.qrChallengeUrl)
    },
  })
}

function newChallenge(poll: unknown): string | undefined {
  if (typeof poll !== 'object' || poll === null || !('newChallengeUrl' in poll)) return undefined
  return typeof poll.newChallengeUrl === 'string' && poll.newChallengeUrl ? poll.newChallengeUrl : undefined
}
