import type { CommandContext } from '../command-context.ts'
import { Failure, failureOf } from '../errors.ts'
import {
  loginFailure,
  type OpenOptions,
  type OpenSession,
  openSession,
  type SessionContext,
  signInTimeouts,
} from './open-session.ts'
import { sessionStore } from './session-file.ts'

/**
 * Opens a session for one command and closes it after. Nobody is asked anything: a command other than `login` and
 * `setup` runs in scripts. @throws Failure
 */
export async function withSession<T>(
  context: CommandContext,
  use: (session: OpenSession) => Promise<T>,
): Promise<T> {
  const session = await open(context, { ...sessionContext(context), prompter: undefined })
  if (session.saveError)
    context.log.warn('The new session could not be saved', { error: failureOf(session.saveError).message })
  const interrupted = new Promise<never>((_resolve, reject) => {
    context.signal.addEventListener('abort', () => reject(context.signal.reason), { once: true })
  })
  try {
    return await Promise.race([use(session), interrupted])
  } finally {
    await session.close()
  }
}

/** Signs in, asking whoever is there, and sees to it that the session is saved. @throws Failure */
export async function login(context: CommandContext): Promise<void> {
  const session = sessionContext(context)
  await roomFor(context, session)
  const opened = await open(context, session, {
    again: context.flags.has('again'),
    qr: context.flags.has('qr'),
  })
  await opened.close()
  if (opened.saveError) {
    const { kind, message } = failureOf(opened.saveError)
    throw new Failure(kind, `Signed in, but the session could not be saved: ${message}`)
  }
  if (opened.source === 'environment')
    context.say('Signed in. The token from the environment works; it is not saved.')
  else if (opened.source === 'saved')
    context.say('Signed in. The saved session works; use --again to sign in anew.')
  else context.say('Signed in. The session is saved.')
}

/** Whoever types a password and a code should not learn only then that there is no place to keep the session. */
async function roomFor({ config }: CommandContext, { store }: SessionContext): Promise<void> {
  try {
    await (await store.reserve(config.username ?? 'new')).release()
  } catch (error) {
    const { kind, message } = failureOf(error)
    throw new Failure(kind, `SESSION_DIR ${config.sessionDir} cannot be written: ${message}`)
  }
}

async function open(
  context: CommandContext,
  session: SessionContext,
  options: OpenOptions = {},
): Promise<OpenSession> {
  try {
    return await openSession(session, options)
  } catch (error) {
    context.signal.throwIfAborted()
    throw loginFailure(error)
  }
}

function sessionContext({ config, log, secrets, clock, signal, prompter }: CommandContext): SessionContext {
  return {
    config,
    log,
    secrets,
    clock,
    signal,
    prompter,
    store: sessionStore(config.sessionDir),
    ...signInTimeouts,
  }
}
