/**
 * `npm run edge`: the Worker in workerd on this machine, by `wrangler dev`. It gets the variables of the Worker from
 * the environment of this process and from `.dev.vars`. wrangler reads keys from a file that only this user can read,
 * because everyone on the machine sees the arguments of a process. `.env` belongs to compose.yaml and is not read.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childEnvironment } from '../lib/child-environment.ts'
import { variables } from '../runtime/edge/variables.ts'
import { envFileText } from './env-file-text.ts'
import { silent, wrangler } from './wrangler.ts'

const folder = mkdtempSync(join(tmpdir(), 'farmgate-edge-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const file = join(folder, 'variables')
writeFileSync(file, envFileText(Object.keys(variables.schema.entries), process.env), { mode: 0o600 })
const files = [...(existsSync('.dev.vars') ? ['.dev.vars'] : []), file].flatMap((path) => [
  '--env-file',
  path,
])
const child = spawn(process.execPath, [wrangler, 'dev', ...files, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: childEnvironment(process.env, silent),
})
// A terminal sends Ctrl-C to wrangler too. This process waits for its end, so that the file exists until then.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => void child.kill('SIGTERM'))
child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1))
