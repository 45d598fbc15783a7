/** The options of `npm start` and `npm run serve`. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { version } from '../../../lib/version.ts'
import { readCommandLine } from '../../../runtime/node/command-line.ts'
import { programs } from '../../programs.ts'
import { launch } from './farmgate-process.ts'

const env = { API_KEY: 'command-line-command-line', API_PORT: '0' }

afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

describe.each([
  ['start', programs.demo],
  ['serve', programs.serve],
] as const)('%s', (command, entry) => {
  const run = async (variables: Readonly<Record<string, string>>, ...args: readonly string[]) => {
    const farmgate = await launch([process.execPath, entry, ...args], variables)
    const { code } = await farmgate.exited
    return { code, stdout: farmgate.stdout(), stderr: farmgate.stderr() }
  }
  /** Reads arguments that end the program, in this process. */
  const read = (...args: readonly string[]) => {
    const [out, err] = [process.stdout, process.stderr].map((stream) =>
      vi.spyOn(stream, 'write').mockReturnValue(true),
    )
    expect(readCommandLine(command, args)).toBeUndefined()
    const textOf = (stream: typeof out) => String(stream?.mock.calls.join('') ?? '')
    return { code: process.exitCode ?? 0, stdout: textOf(out), stderr: textOf(err) }
  }

  test('--help lists every option on standard output and exits 0', () => {
    const { code, stdout } = read('--help')
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`^Usage: npm (run )?${command} \\[-- <option>\\]`))
    for (const option of ['--help', '--version', '--check-config']) expect(stdout).toContain(option)
  })

  test('--version prints only the version and exits 0', () => {
    expect(read('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  test('an unknown option is reported by name, without its value, with the usage; exit 2', async () => {
    const { code, stderr } = await run(env, '--check-config', '--key=canary')
    expect(code).toBe(2)
    expect(stderr).toMatch(new RegExp(`^${command} has no option --key\n`))
    expect(stderr).toContain('--check-config')
    expect(stderr).not.toContain('canary')
  })

  test('an argument that is not an option ends with the usage and exit 2', () => {
    const { code, stderr } = read('now')
    expect([code, stderr.split('\n')[0]]).toEqual([2, `${command} takes options only`])
  })

  test('--check-config checks the environment and exits with 0 when it is valid, with 78 when not', async () => {
    expect((await run(env, '--check-config')).code).toBe(0)
    const { code, stderr } = await run({ ...env, API_PORT: 'x' }, '--check-config')
    expect([code, stderr.split(':')[0]]).toEqual([78, 'API_PORT'])
  })
})
