/** `npm run bench [name …]`: runs the named benchmarks, or all, each in a separate process. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'

const folder = new URL('.', import.meta.url)
const notBenchmarks = new Set(['main.ts', 'measure.ts', 'measured-server.ts'])
const known = readdirSync(folder)
  .filter((name) => name.endsWith('.ts') && !notBenchmarks.has(name))
  .map((name) => name.slice(0, -'.ts'.length))

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  console.error(`no benchmark is called ${unknown.join(', ')}; there are ${known.join(', ')}`)
  process.exit(2)
}
for (const name of wanted.length > 0 ? wanted : known) {
  const { status } = spawnSync(process.execPath, [new URL(`${name}.ts`, folder).pathname], {
    stdio: 'inherit',
  })
  if (status !== 0) process.exitCode = 1
}
