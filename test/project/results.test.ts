/** The table of `bench/results.md`, which `npm run bench -- --write` writes. */
import { expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { readText } from '../compose.ts'

const rows = readText('bench/results.md')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(1)
  .map((line) => line.slice(2, -2).split(' | '))

test('every row of the benchmarks has a run of this version, and a goal that it misses names what limits it', () => {
  expect(rows.length).toBeGreaterThan(2)
  for (const [name = '', measured = '', , goal = '', run = ''] of rows) {
    expect([name, run]).toEqual([
      name,
      expect.stringMatching(
        new RegExp(
          `^${packageJson.version.replaceAll('.', '\\.')}, \\d{4}-\\d\\d-\\d\\d, [0-9a-f]{7,}, .+, load [\\d.]+$`,
        ),
      ),
    ])
    const [, sign, wanted, limit] = /^([≤≥]) ([\d.]+)(?: (?:ms|kB))?(?:; (.+))?$/.exec(goal) ?? []
    if (wanted === undefined) expect([name, goal]).toEqual([name, ''])
    const value = Number.parseFloat(measured)
    const isMet = sign === '≤' ? value <= Number(wanted) : value >= Number(wanted)
    if (!isMet && wanted !== undefined) expect([name, limit]).toEqual([name, expect.any(String)])
  }
})
