import type { CommandContext, RunCommand } from '../command-context.ts'
import { Failure, failureOf } from '../errors.ts'
import { openForCommand, sessionContext } from '../session/command-session.ts'
import type { SessionContext } from '../session/open-session.ts'

/**
 * Signs in and saves the session. The saved session is used if it works. Otherwise the person signs in by password
 * (session/password-sign-in.ts); with `--qr` or an empty user name, by QR code (session/qr-sign-in.ts).
 * @throws Failure
 */
export const run: RunCommand = async (context) => {
  const session = sessionContext(context)
  await checkRoom(context, session)
  const opened = await openForCommand(context, session, {
    again: context.flags.has('again'),
    qr: context.flags.has('qr'),
  }).finally(context.prompter.close)
  await opened.close()
  if (opened.saveError) {
    const { kind, message } = failureOf(opened.saveError)
    throw new Failure(kind, `Signed in, but the session could not be saved: ${message}`)
  }
  if (opened.source === 'environment')
    context.say('Signed in. The token from the environment works; it is not saved.')
  else if (opened.source === 'saved')
    context.say('Signed in. The saved session works; use --again to sign in again.')
  else context.say('Signed in. The session is saved.')
}

/** Checks that a session can be saved, before the person is asked for a password and a code. */
async function checkRoom({ config, log }: CommandContext, { store }: SessionContext): Promise<void> {
  try {
    await (await store.reserve(config.username ?? 'new')).release()
    const problem = await store.folderProblem()
    if (problem) log.warn({}, problem)
  } catch (error) {
    const { kind, message } = failureOf(error)
    throw new Failure(kind, `SESSION_DIR ${config.sessionDir} cannot be written: ${message}`)
  }
}
