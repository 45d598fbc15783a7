/** Writes the calls of the client (`npm run generate`). */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { callsSource, routesSource } from './client-source.ts'

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

writeFileSync(at('client/calls.ts'), callsSource())
writeFileSync(at('client/routes.ts'), routesSource())
const format = [
  at('node_modules/@biomejs/biome/bin/biome'),
  'check',
  '--write',
  at('client/calls.ts'),
  at('client/routes.ts'),
]
process.exitCode = spawnSync(process.execPath, format, { stdio: 'inherit' }).status ?? 1
