/** Writes `worker-configuration.d.ts` with `wrangler types`, and prints its output only if it fails. */
import { spawnSync } from 'node:child_process'
import { devNull } from 'node:os'
import { join } from 'node:path'

const wrangler = join(import.meta.dirname, '../../node_modules/wrangler/bin/wrangler.js')
// Without a separate file, wrangler declares every variable of `.env` and `.dev.vars` as one of the Worker.
const args = ['types', '--env-file', devNull]
const { status, output } = spawnSync(process.execPath, [wrangler, ...args], { encoding: 'utf8' })
if (status !== 0) {
  process.stderr.write(output.join(''))
  process.exitCode = 1
}
