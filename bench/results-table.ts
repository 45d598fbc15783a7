/** The table of measurements, `bench/results.md`. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import packageJson from '../package.json' with { type: 'json' }
import type { Row } from './measure.ts'

const page = new URL('./results.md', import.meta.url)
const head = '| Benchmark | Measured | Bound | Goal | Run |\n|---|---|---|---|---|\n'

/** @param results a file with one line of JSON for each table that was printed */
export function writeTable(results: string): void {
  const tables = readFileSync(results, 'utf8')
    .trim()
    .split('\n')
    .map((line): { title: string; rows: readonly Row[] } => JSON.parse(line))
  const text = readFileSync(page, 'utf8')
  const [before = '', after = ''] = text.split(head)
  const end = after.search(/^(?!\|)/m)
  const old = after
    .slice(0, end)
    .split('\n')
    .filter((line) => line !== '')
  const titles = tables.map(({ title }) => `| ${title}: `)
  const kept = old.filter((line) => !titles.some((title) => line.startsWith(title)))
  const made = tables.flatMap(({ title, rows }) =>
    rows.map(
      (row) => `| ${title}: ${row.what} | ${row.measured} | ${row.bound ?? ''} | ${goalOf(row)} | ${run()} |`,
    ),
  )
  writeFileSync(page, `${before}${head}${[...kept, ...made].join('\n')}\n${after.slice(end)}`)
}

const goalOf = ({ goal = '', limit }: Row) => (limit === undefined ? goal : `${goal}; ${limit}`)

/** Version, date, commit and machine, such as `0.3.0, 2026-11-23, 1a2b3c4d, 2 × EPYC, load 0.4`. */
function run(): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  const [{ model } = { model: '' }] = cpus()
  const machine = `${cpus().length} × ${model.trim()}, load ${loadavg()[0]?.toFixed(1)}`
  return `${packageJson.version}, ${new Date().toISOString().slice(0, 10)}, ${commit}, ${machine}`
}
