/** Writes the files that are made from the endpoints (`npm run generate`). */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { sources } from './client-source.ts'
import { filled, parts } from './docs-source.ts'

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

const files = Object.entries(sources).map(([name, source]) => {
  const file = at(name)
  writeFileSync(file, source())
  return file
})
for (const [page, own] of Object.entries(parts))
  writeFileSync(at(page), filled(readFileSync(at(page), 'utf8'), own))
const format = [at('node_modules/@biomejs/biome/bin/biome'), 'check', '--write', ...files]
process.exitCode = spawnSync(process.execPath, format, { stdio: 'inherit' }).status ?? 1
