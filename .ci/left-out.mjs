/**
 * Prints the test files in which tests did not run, a line each.
 *
 *     node .ci/left-out.mjs <report of vitest>
 */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const [report = ''] = process.argv.slice(2)
const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
for (const { name, assertionResults } of testResults)
  if (assertionResults.some(({ status }) => status !== 'passed' && status !== 'failed'))
    process.stdout.write(`${relative('', name).replace(/^.*?(?=test\/)/, '')}\n`)
