/** `kill -9` in the middle of downloads: repeats its test. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Row } from '../../../bench/measure.ts'
import { none, type Phase } from '../phase.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const vitest = 'node_modules/vitest/vitest.mjs'

async function run(seconds: number): Promise<readonly Row[]> {
  const end = performance.now() + seconds * 1000
  let runs = 0
  let failed = 0
  do {
    const args = [vitest, 'run', '--project', 'ticket', 'test/ticket/depot/kill.test.ts']
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
    const [code] = await once(child, 'exit')
    runs += 1
    if (code !== 0) failed += 1
  } while (performance.now() < end)
  return [
    {
      what: 'downloads (10 in each run of test/ticket/depot/kill.test.ts)',
      measured: String(runs * 10),
    },
    none('runs that failed', { failed }),
  ]
}

export const killPhase: Phase = { name: 'kill', title: 'kill -9 on the download', share: 1, run }
