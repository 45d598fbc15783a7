/**
 * Mutation tests of one room (docs/testing.md, "Mutation"):
 *
 *     npm run mutation -- <room> [file ...]
 *
 * With files, only these are mutated, and the score does not fail the run.
 */
import { Stryker } from '@stryker-mutator/core'
import { isRoom, rooms } from './rooms.ts'

const [name = '', ...files] = process.argv.slice(2)
if (!isRoom(name)) {
  process.stderr.write(`usage: npm run mutation -- <${Object.keys(rooms).join('|')}> [file ...]\n`)
  process.exit(2)
}
// vitest.config.ts, which vitest loads in another process, reads it.
process.env.MUTATION_ROOM = name
const { mutate, atLeast } = rooms[name]

try {
  await new Stryker({
    mutate: files.length > 0 ? files : [...mutate],
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
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
