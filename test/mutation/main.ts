/**
 * Mutation tests of one room (docs/testing.md, "Mutation"):
 *
 *     npm run mutation -- <room> [file ...]
 *
 * With files, only these are mutated, and the score does not fail the run.
 */
import { relative } from 'node:path'
import type { MutantResult } from '@stryker-mutator/api/core'
import { Stryker } from '@stryker-mutator/core'
import { isRoom, rooms, sample } from './rooms.ts'

const [name = '', ...files] = process.argv.slice(2)
if (!isRoom(name)) {
  process.stderr.write(`usage: npm run mutation -- <${Object.keys(rooms).join('|')}> [file ...]\n`)
  process.exit(2)
}
// vitest.config.ts, which vitest loads in another process, reads it.
process.env.MUTATION_ROOM = name
const { mutate, atLeast } = rooms[name]

try {
  const results = await new Stryker({
    mutate: [sample, ...(files.length > 0 ? files : mutate)],
    testRunner: 'warm-vitest',
    plugins: [import.meta.resolve('./plugin.ts')],
    coverageAnalysis: 'perTest',
    concurrency: 1,
    ignorePatterns: ['.wrangler', 'reports', 'bench'],
    reporters: ['clear-text', 'progress-append-only'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    thresholds: { high: 100, low: atLeast, break: files.length > 0 ? null : atLeast },
    disableTypeChecks: false,
    // Stryker would read it with the compiler's old interface, which TypeScript 7 does not have.
    tsconfigFile: 'none',
    timeoutMS: 15_000,
  }).runMutationTest()
  const changed = Map.groupBy(results, ({ fileName }) => relative(process.cwd(), fileName))
  const isNoticed = ({ status }: MutantResult) => status === 'Killed' || status === 'Timeout'
  if (!changed.get(sample)?.every(isNoticed))
    throw new Error(
      `A change of ${sample} was not noticed: the runner does not work, and the scores mean nothing.`,
    )
  const unnoticed = [...changed].filter(([, mutants]) => !mutants.some(isNoticed)).map(([file]) => file)
  if (unnoticed.length > 0)
    throw new Error(`No test of this room notices any change of ${unnoticed.join(', ')}.`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
