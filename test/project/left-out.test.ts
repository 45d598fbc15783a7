/** No test is skipped silently: not on a machine without a program, and not in the sum of `.ci/run`. */
import { spawnSync } from 'node:child_process'
import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { readText } from '../compose.ts'
import { isInstalled } from '../left-out.ts'
import { newFolder } from '../new-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const own = 'test/project/left-out.test.ts'
const files = globSync('test/**/*.{ts,tsx}', { cwd: root, exclude: [own, '**/node_modules'] })

/** The matches of a pattern in the tests, each with its file. */
const found = (pattern: RegExp): readonly string[] =>
  files.flatMap((path) => [...readText(path).matchAll(pattern)].map(([text]) => `${path}: ${text}`))

/** By the name of a test, an option of it, or its arguments. */
const leftOut =
  /\.(skip|skipIf|only|todo|fails)\b.*|[{,] *(skip|todo)\b *[:,}].*|\b(xit|xtest|xdescribe|fit|fdescribe)\(.*/g

describe('a test', () => {
  test('is never skipped, put off or run alone', () => {
    const ways = [
      "test.skip('a'",
      "test.todo('a'",
      "it('a', { skip: true }",
      'async ({ skip }) =>',
      "xit('a'",
    ]
    for (const way of ways) expect(way).toMatch(leftOut)
    expect(files.length).toBeGreaterThan(400)
    expect(found(leftOut)).toEqual([])
  })

  test('that needs more than every machine has is skipped by isInstalled or canRun, which say so', () => {
    expect(found(/\.runIf\((isInstalled|canRun)\(/g).length).toBeGreaterThan(5)
    // Those of the images check once for all their files.
    expect(found(/\.runIf\((?!(isInstalled|canRun)\().*/g)).toEqual([
      'test/images/built.ts: .runIf(problem === undefined)(title, tests)',
    ])
    expect(readText('test/images/setup.ts')).toContain(
      "if (!canRun('all tests of the images', problem)) return",
    )
  })

  test('without its program is named once on standard error, with the package to install', () => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    onTestFinished(() => written.mockRestore())
    expect(isInstalled('the tests of rain', { name: 'no-such-program', debianPackage: 'weather' })).toBe(
      false,
    )
    expect(written.mock.calls).toEqual([
      ['Left out: the tests of rain: no-such-program is not installed (Debian: apt-get install weather)\n'],
    ])
    expect(isInstalled('the tests of Node', { name: process.execPath, debianPackage: 'nodejs' })).toBe(true)
    expect(written).toHaveBeenCalledTimes(1)
  })

  test('whose program is a package of Debian runs in .ci/run, which installs it, and docs/testing.md names it', () => {
    const packages = found(/(?<=debianPackage: ')[\w-]+/g).map((one) => one.replace(/^.*: /, ''))
    expect(packages.sort()).toEqual([
      'busybox',
      'caddy',
      'dash',
      'haproxy',
      'libxml2-utils',
      'nginx-light',
      'prometheus',
      'python3',
      'shellcheck',
      'systemd',
    ])
    const installed = readText('.ci/run').split(/\s+/)
    const page = readText('docs/testing.md').split(/[^\w-]+/)
    const untold = packages.filter((name) => !installed.includes(name) || !page.includes(name))
    expect(untold).toEqual([])
  })
})

describe('.ci/run', () => {
  const passed = { status: 'passed', fullName: 'passed' }
  const leftOut = { status: 'skipped', fullName: ' the example of caddy serves the API by HTTPS' }
  const report = {
    numPassedTests: 7,
    numFailedTests: 0,
    success: true,
    testResults: [{ assertionResults: [passed] }] as object[],
  }
  /** Its last lines. @param files of results, by name */
  function sum(files: Readonly<Record<string, string>>, exitCode = 0): string {
    const folder = newFolder()
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    const args = ['.ci/results.mjs', folder, String(exitCode)]
    return spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' }).stdout
  }
  const tests = (changed: Partial<typeof report> = {}) => ({
    'tests.json': JSON.stringify({ ...report, ...changed }),
  })

  test('ends with one sum of all tests that ran', () => {
    expect(
      sum({ ...tests(), built: '1 passed, 0 failed\n', 'node-20': 'passed: a\n2 passed, 3 failed\n' }),
    ).toBe('10 passed, 3 failed\n')
  })

  const some = tests({ testResults: [{ assertionResults: [passed, leftOut] }] })

  test('names the tests that were skipped before it, and why, and counts them as neither', () => {
    const stderr = 'Left out: caddy: caddy is not installed\nLeft out: caddy: caddy is not installed\n'
    expect(sum({ ...some, stderr })).toBe(
      '1 tests were skipped:\n  the example of caddy serves the API by HTTPS\n' +
        'Left out: caddy: caddy is not installed\n7 passed, 0 failed\n',
    )
  })

  test('counts a test that only root could run, and none twice', () => {
    const again = (status: string, failed: number) => ({
      'root-tests.json': JSON.stringify({
        ...{ numPassedTests: 2 - failed, numFailedTests: failed, success: failed === 0 },
        testResults: [
          {
            name: 'a.test.ts',
            assertionResults: [passed, { ...leftOut, status, failureMessages: ['Error: b\nc'] }],
          },
        ],
      }),
    })
    expect(sum({ ...some, ...again('passed', 0) })).toBe('8 passed, 0 failed\n')
    expect(sum({ ...some, ...again('failed', 1) }, 1)).toMatch(/\n7 passed, 1 failed\n$/)
  })

  test('names each test that failed, and each file that could not be loaded, with the beginning of its message', () => {
    const failed = { ...leftOut, status: 'failed', failureMessages: ['Error: b\nc', 'd'] }
    const testResults = [
      { name: 'a.test.ts', assertionResults: [passed, failed] },
      { name: 'b.test.ts', message: 'x'.repeat(1000), assertionResults: [] },
    ]
    expect(sum(tests({ testResults, numFailedTests: 1, success: false }), 1)).toBe(
      'failed: a.test.ts: the example of caddy serves the API by HTTPS\n  Error: b\n  c\n' +
        `failed: b.test.ts\n  ${'x'.repeat(590)}\n7 passed, 1 failed\n`,
    )
  })

  test.each<[string, Readonly<Record<string, string>>, number, string]>([
    ['tests that never began', {}, 1, '0 passed, 1 failed\n'],
    ['a file of tests that could not be loaded', tests({ success: false }), 1, '7 passed, 1 failed\n'],
    ['an error outside of every test', tests(), 1, '7 passed, 1 failed\n'],
    ['a machine that reported no sum', { ...tests(), 'node-22': 'Killed\n' }, 137, '7 passed, 1 failed\n'],
  ])('counts %s as one failure', (_what, files, exitCode, said) => {
    expect(sum(files, exitCode)).toBe(said)
  })
})
