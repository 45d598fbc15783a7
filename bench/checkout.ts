/** What a developer waits for: the packages of a fresh checkout, and the images with their tests. Each is run once before. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { printTable } from './measure.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'farmgate-bench-'))
const checkout = join(folder, 'farmgate')

/** @returns the seconds of the second of two runs */
function secondsOf(cwd: string, ...[program, ...args]: readonly [string, ...string[]]): number {
  const run = () => execFileSync(program, args, { cwd, stdio: 'ignore' })
  run()
  const began = performance.now()
  run()
  return (performance.now() - began) / 1000
}

function row(what: string, seconds: number, goal: number, bound: number, limit: string) {
  return {
    what,
    measured: seconds.toFixed(1),
    bound: `≤ ${bound}`,
    holds: seconds <= bound,
    goal: `≤ ${goal}`,
    limit,
  }
}

try {
  execFileSync('git', ['clone', '--quiet', root, checkout])
  const unpacked = secondsOf(checkout, 'npm', 'ci', '--ignore-scripts')
  const install = secondsOf(checkout, 'npm', 'ci')
  const images = secondsOf(root, 'npx', 'vitest', 'run', '--project', 'images')
  printTable('Checkout', [
    row(
      'npm ci with a warm cache, s',
      install,
      15,
      60,
      `without the scripts, which build the page and the programs: ${unpacked.toFixed(0)}`,
    ),
    row(
      'images, built and tested, warm, s',
      images,
      60,
      120,
      'most of it is one file (stack.test.ts), which brings up the whole stack step by step',
    ),
  ])
} finally {
  rmSync(folder, { recursive: true, force: true })
}
