/**
 * Adds up what `.ci/run` found.
 *
 *     node .ci/results.mjs <folder> <exit code of everything>
 *
 * The folder has `tests.json`, the report of vitest; `root-tests.json`, the report of what ran again as root; `stderr`, which
 * says why tests were skipped; and other files that end with `N passed, N failed`. Names each test that did not run at all,
 * and the reasons, and each test that failed, with the beginning of its message, because the output of a whole run is long.
 * Ends with `N passed, N failed`, which are tests that ran. What failed without a test that failed, such as a file that could
 * not be loaded, counts as one.
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

const others = ['tests.json', 'root-tests.json', 'stderr']
for (const name of readdirSync(folder).filter((one) => !others.includes(one))) {
  const [, ...counts] = /(\d+) passed, (\d+) failed\n$/.exec(readFileSync(join(folder, name), 'utf8')) ?? [
    0, 0, 1,
  ]
  add(...counts)
}

/** A report of vitest, with the names of the tests that ran in it and of those that did not. */
function reportOf(path) {
  const { numPassedTests, numFailedTests, success, testResults } = JSON.parse(readFileSync(path, 'utf8'))
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  const named = (statuses) =>
    tests.flatMap(({ fullName, status }) => (statuses.includes(status) ? [fullName.trim()] : []))
  const ran = named(['passed', 'failed'])
  const leftOut = named(['skipped', 'pending', 'todo', 'disabled'])
  const failures = testResults.flatMap(({ name, message, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === 'failed')
    if (failed.length === 0) return message ? [`${name}\n${message}`] : []
    return failed.map(({ fullName, failureMessages: [first] }) => `${name}: ${fullName.trim()}\n${first}`)
  })
  return { passed: numPassedTests, failed: success ? 0 : Math.max(1, numFailedTests), ran, leftOut, failures }
}

const [first, asRoot] = ['tests.json', 'root-tests.json']
  .map((name) => join(folder, name))
  .map((path) => (existsSync(path) ? reportOf(path) : undefined))
if (first === undefined) add(0, 1)
else add(first.passed, first.failed)
const missing = new Set(first?.leftOut)
if (asRoot !== undefined) {
  const caughtUp = asRoot.ran.filter((name) => missing.has(name))
  add(Math.max(0, caughtUp.length - asRoot.failed), asRoot.failed)
  for (const name of caughtUp) missing.delete(name)
}
if (missing.size > 0) {
  say(`${missing.size} tests were skipped:`)
  for (const name of missing) say(`  ${name}`)
  const stderr = join(folder, 'stderr')
  const reasons = existsSync(stderr) ? readFileSync(stderr, 'utf8').match(/Left out: .*/g) : undefined
  for (const reason of new Set(reasons)) say(reason)
}
for (const failure of [first, asRoot].flatMap((report) => report?.failures ?? []))
  say(`failed: ${failure.slice(0, 600).trim().replaceAll('\n', '\n  ')}`)
if (exitCode !== '0' && total.failed === 0) add(0, 1)
say(`${total.passed} passed, ${total.failed} failed`)
