import type { RunCommand } from '../command-context.ts'
import { login } from '../session/command-session.ts'
import { run as download } from './download.ts'

/** First-time setup: signs in, then downloads the game. */
export const run: RunCommand = async (context) => {
  await login(context)
  await download(context)
}
