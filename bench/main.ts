/**
 * `npm run bench [name …]`: runs the named benchmarks, or all, each in a separate process. With `--write` the results go
 * into `bench/results.md`, where they replace those of the same benchmarks.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resultsVariable } from './measure.ts'
import { writeTable } from './results-table.ts'

const folder = new URL('.', import.meta.url)
const notBenchmarks = new Set(['main.ts', 'measure.ts', 'measured-server.ts', 'results-table.ts'])
const known = readdirSync(folder)
  .filter((name) => name.endsWith('.ts') && !notBenchmarks.has(name))
  .map((name) => name.slice(0, -'.ts'.length))

const args = process.argv.slice(2)
const wanted = args.filter((arg) => arg !== '--write')
const unknown = wanted.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  console.error(`no benchmark is called ${unknown.join(', ')}; there are ${known.join(', ')}`)
  process.exit(2)
}
const place = mkdtempSync(join(tmpdir(), 'farmgate-bench-'))
const results = join(place, 'results.jsonl')
for (const name of wanted.length > 0 ? wanted : known) {
  const { status } = spawnSync(process.execPath, [new URL(`${name}.ts`, folder).pathname], {
    stdio: 'inherit',
    env: { ...process.env, [resultsVariable]: results },
  })
  if (status !== 0) process.exitCode = 1
}
if (args.includes('--write')) writeTable(results)
rmSync(place, { recursive: true, force: true })
