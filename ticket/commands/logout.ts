import type { RunCommand } from '../command-context.ts'
import { Failure, failureOf } from '../errors.ts'
import { sessionStore } from '../session/session-file.ts'

/** Removes the saved session, or all of them without a user name. A running service then signs out within seconds. */
export const run: RunCommand = async ({ config, say }) => {
  const store = sessionStore(config.sessionDir)
  const names = config.username === undefined ? await store.accounts() : [config.username]
  let removed = 0
  try {
    for (const name of names) if (await store.remove(name)) removed += 1
  } catch (error) {
    throw new Failure('failed', `The session could not be removed: ${failureOf(error).message}`)
  }
  say(removed === 0 ? 'There is no saved session.' : 'Signed out. The saved session is removed.')
  if (config.refreshToken !== undefined)
    say('PLATFORM_REFRESH_TOKEN is set: the service signs in with it again. Remove it to stay signed out.')
}
