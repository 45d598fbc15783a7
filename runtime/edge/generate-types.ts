/** Writes `worker-configuration.d.ts` with `wrangler types`, and prints what that says only if it fails. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const wrangler = fileURLToPath(new URL('../../node_modules/wrangler/bin/wrangler.js', import.meta.url))
const { status, output } = spawnSync(process.execPath, [wrangler, 'types'], { encoding: 'utf8' })
if (status !== 0) {
  process.stderr.write(output.join(''))
  process.exitCode = 1
}
