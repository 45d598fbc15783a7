/** The programs as users run them. `build-programs.ts` builds them for a run: they start in half the time of the sources. */
import { fileURLToPath } from 'node:url'

const built = (path: string) => fileURLToPath(new URL(`../built/${path}.js`, import.meta.url))

export const programs = {
  serve: built('runtime/node/serve'),
  commandLine: built('cli/main'),
  demo: built('cli/demo/main'),
  ticket: built('ticket/main'),
} as const
