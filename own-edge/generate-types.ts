/** Writes `worker-configuration.d.ts` with `wrangler types`, and prints its output only if it fails. */
import { spawnSync } from 'node:child_process'
import { devNull } from 'node:os'
import { childEnvironment } from '../lib/child-environment.ts'
import { silent, wrangler } from './wrangler.ts'

// Without a separate file, wrangler declares every variable of `.env` and `.dev.vars` as one of the Worker.
const args = ['types', '--env-file', devNull]
const { status, output } = spawnSync(process.execPath, [wrangler, ...args], {
  encoding: 'utf8',
  env: childEnvironment(process.env, silent),
})
if (status !== 0) {
  process.stderr.write(output.join(''))
  process.exitCode = 1
}
