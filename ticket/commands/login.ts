import type { RunCommand } from '../command-context.ts'
import { login } from '../session/command-session.ts'

/** Signs in and saves the session. */
export const run: RunCommand = (context) => login(context)
