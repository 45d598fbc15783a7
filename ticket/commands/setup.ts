import { existsSync } from 'node:fs'
import type { RunCommand } from '../command.ts'
import { login } from '../session/command-session.ts'

/** First-time setup: signs in, then downloads the game. */
export const run: RunCommand = async (context) => {
  await login(context)
  const file = new URL('./download.ts', import.meta.url)
  if (!existsSync(file)) return context.say('This build has no download command.')
  const download: { run: RunCommand } = await import(file.href)
  await download.run(context)
}
