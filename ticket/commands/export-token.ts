import type { RunCommand } from '../command-context.ts'
import { Failure } from '../errors.ts'
import { sessionStore } from '../session/session-file.ts'

/** Writes only the saved refresh token to stdout, without a request to Steam. */
export const run: RunCommand = async ({ config, result }) => {
  const loaded = await sessionStore(config.sessionDir).load(config.username)
  if (!loaded.session)
    throw new Failure('login_needed', `No token to export: ${loaded.problem}. Run the login command.`)
  await result(`${loaded.session.refreshToken}\n`)
}
