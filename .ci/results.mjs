/**
 * Adds up what `.ci/run` found.
 *
 *     node .ci/results.mjs <folder> <exit code of everything>
 *
 * The folder has `tests.json`, the report of vitest, and other files that end with `N passed, N failed`. Names each test
 * that did not run, and ends with `N passed, N failed`, which are tests that ran. What failed without a test that failed,
 * such as a file that could not be loaded, counts as one.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const [folder = '', exitCode] = process.argv.slice(2)
const total = { passed: 0, failed: 0 }
const say = (line) => process.stdout.write(`${line}\n`)
const add = (passed, failed) => {
  total.passed += Number(passed)
  total.failed += Number(failed)
}

function addTests(path) {
  const { numPassedTests, numFailedTests, success, testResults } = JSON.parse(readFileSync(path, 'utf8'))
  add(numPassedTests, success ? 0 : Math.max(1, numFailedTests))
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  const leftOut = tests.filter(({ status }) => status !== 'passed' && status !== 'failed')
  if (leftOut.length > 0) say(`${leftOut.length} tests did not run:`)
  for (const { fullName } of leftOut) say(`  ${fullName.trim()}`)
}

for (const name of readdirSync(folder).filter((one) => one !== 'tests.json')) {
  const [, ...counts] = /(\d+) passed, (\d+) failed\n$/.exec(readFileSync(join(folder, name), 'utf8')) ?? [
    0, 0, 1,
  ]
  add(...counts)
}
const report = join(folder, 'tests.json')
if (existsSync(report)) addTests(report)
else add(0, 1)
if (exitCode !== '0' && total.failed === 0) add(0, 1)
say(`${total.passed} passed, ${total.failed} failed`)
