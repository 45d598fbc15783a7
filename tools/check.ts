/** `npm run check`: the scripts `check:…` of package.json side by side, and the output of those that fail. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import manifest from '../package.json' with { type: 'json' }

const cwd = fileURLToPath(new URL('..', import.meta.url))

function run(script: string): void {
  execFile(process.execPath, ['--run', script], { cwd, maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
    if (error === null) return
    process.stderr.write(`${script} fails:\n${stdout}${stderr}`)
    process.exitCode = 1
  })
}

for (const script of Object.keys(manifest.scripts)) if (script.startsWith('check:')) run(script)
