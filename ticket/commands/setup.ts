import type { RunCommand } from '../command-context.ts'
import { run as download } from './download.ts'
import { run as login } from './login.ts'

/** First-time setup: signs in, then downloads the game. */
export const run: RunCommand = async (context) => {
  await login(context)
  await download(context)
}
