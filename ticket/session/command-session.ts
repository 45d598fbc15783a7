import { untilAborted } from '../../lib/time-limit.ts'
import type { CommandContext } from '../command-context.ts'
import { failureOf } from '../errors.ts'
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
 * Opens a session for one command and closes it afterwards. It never prompts: commands other than `login` and `setup`
 * run in scripts. @throws Failure
 */
export async function withSession<T>(
  context: CommandContext,
  use: (session: OpenSession) => Promise<T>,
): Promise<T> {
  const session = await openForCommand(context, { ...sessionContext(context), prompter: undefined })
  if (session.saveError)
    context.log.warn({ error: failureOf(session.saveError).message }, 'The new session could not be saved')
  try {
    return await untilAborted(use(session), context.signal)
  } finally {
    await session.close()
  }
}

/** Opens a session for a command. @throws Failure */
export async function openForCommand(
  context: CommandContext,
  session: SessionContext,
  options: OpenOptions = {},
): Promise<OpenSession> {
  try {
    return await openSession(session, options)
  } catch (error) {
    context.signal.throwIfAborted()
    throw loginFailure(error, session.prompter !== undefined)
  }
}

/** @returns the parts of a command's context that a logon needs. */
export function sessionContext({
  config,
  log,
  secrets,
  clock,
  signal,
  prompter,
}: CommandContext): SessionContext {
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
