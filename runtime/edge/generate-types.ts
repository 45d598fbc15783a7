/** Writes `worker-configuration.d.ts` with `wrangler types`, and prints what that says only if it fails. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const wrangler = join(import.meta.dirname, '../../node_modules/wrangler/bin/wrangler.js')
const { status, output } = spawnSync(process.execPath, [wrangler, 'types'], { encoding: 'utf8' })
if (status !== 0) {
  process.stderr.write(output.join(''))
  process.exitCode = 1
}
