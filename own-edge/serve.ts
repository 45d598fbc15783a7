/** `npm run edge:serve`: the Worker in workerd on this machine, alone or as one of several instances. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { childEnvironment } from '../lib/child-environment.ts'
import { problemLines } from '../lib/environment.ts'
import { exitCodes } from '../lib/exit-codes.ts'
import { readOwnEdge } from './config.ts'
import { runInstance } from './instance.ts'

const root = join(import.meta.dirname, '..')
const bundle = join(root, 'dist/edge')

const reading = readOwnEdge(process.env, (path) => readFileSync(path, 'utf8'))
if ('problems' in reading) {
  process.stderr.write(problemLines(reading.problems))
  process.exitCode = exitCodes.wrongEnvironment
} else if (await hasBundle()) await runInstance(reading.config, bundle)
else process.exitCode = exitCodes.failed

/** Brings the bundle up to date in a checkout; an image has it already. */
async function hasBundle(): Promise<boolean> {
  if (!existsSync(join(root, 'node_modules/wrangler'))) return true
  // Another process, because wrangler would stay in the memory of this one.
  const build = spawn(process.execPath, [join(root, 'own-edge/build.ts')], {
    stdio: 'inherit',
    env: childEnvironment(process.env),
  })
  const [code] = await once(build, 'exit')
  return code === exitCodes.done
}
