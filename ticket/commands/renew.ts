import { withTimeLimit } from '../../lib/time-limit.ts'
import type { RunCommand } from '../command-context.ts'
import { Failure, PlatformError } from '../errors.ts'
import { renewalBody } from '../http/routes/account.ts'
import { openForCommand, sessionContext } from '../session/command-session.ts'
import { renewalGrace } from '../session/retry-delays.ts'
import { renewNow, sessionToken } from '../session/session-token.ts'

/** Asks Steam for a new refresh token and saves it. An interrupt waits for it, because Steam revokes the old token. */
export const run: RunCommand = async (command) => {
  const context = { ...sessionContext(command), prompter: undefined }
  const session = await openForCommand(command, context)
  try {
    const token = sessionToken(context, session, { onDaysLeft: () => undefined, onUnsaved: () => undefined })
    const late = () => new Failure('failed', 'Steam has not answered the request for a new token.')
    const renewal = await withTimeLimit(renewalGrace, renewNow(token), late)
    const line = { account: 0, username: session.stored?.username, ...renewalBody(renewal) }
    await command.result(`${JSON.stringify(line)}\n`)
    if (renewal.outcome === 'failed') throw new Failure('failed', `Not renewed: ${renewal.error}.`)
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    throw new Failure('failed', 'The token comes from PLATFORM_REFRESH_TOKEN. Set a new one there.', {
      cause: error,
    })
  } finally {
    await session.close()
  }
}
