import { spawn } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { follow, makePlace } from './launched.ts'

const waiting = (listeners: string) => `${listeners}
console.log('ready', process.pid)
setInterval(() => undefined, 1000)`
/** Prints every signal, and ends cleanly a little later, as a server does that lets requests finish. */
const draining = waiting(`for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    console.log('got', signal)
    setTimeout(() => process.exit(7), 300)
  })`)

describe.each([
  ['the running Node is new enough', 'new'],
  ['the running Node is too old', 'old'],
] as const)('the launcher, when %s', (_words, runs) => {
  test('runs TypeScript on Node 24 or newer, and so does every `node` that the program starts', async () => {
    const program = `import { execFileSync } from 'node:child_process'
const version: string = process.version
console.log(version, execFileSync('node', ['--version'], { encoding: 'utf8' }).trim(), import.meta.main)`
    const { stdout, stderr, code } = await makePlace().launch(program, runs).ended
    expect([stdout, stderr, code]).toEqual([`${process.version} ${process.version} true\n`, '', 0])
  })

  test('passes every argument unchanged: blanks, quotes, dollars, empty ones, dashes', async () => {
    const args = ['a b', `c"d'e`, '$HOME', '', '--', '--port', '*', '\\n', 'Ö 🌱']
    const program = 'console.log(JSON.stringify([process.argv[1], ...process.argv.slice(2)]))'
    const place = makePlace()
    const { stdout } = await place.launch(program, runs, args).ended
    expect(JSON.parse(stdout)).toEqual([expect.stringMatching(/program\.ts$/), ...args])
  })

  test('runs the program with the options of Node before the launcher', async () => {
    const program = `import { getHeapStatistics } from 'node:v8'
console.log(getHeapStatistics().heap_size_limit < 128 * 1024 * 1024)`
    const options = ['--max-old-space-size=64', '--max-semi-space-size=4']
    expect((await makePlace().launch(program, runs, [], options).ended).stdout).toBe('true\n')
  })

  test.each([0, 78])('ends with the exit code of the program: %i', async (code) => {
    const ended = await makePlace().launch(`process.exit(${code})`, runs).ended
    expect([ended.code, ended.signal]).toEqual([code, null])
  })

  test.each(['SIGINT', 'SIGKILL'] as const)(
    'a program that is ended by %s is reported as ended by that signal',
    async (signal) => {
      const program = `process.kill(process.pid, '${signal}'); setInterval(() => undefined, 1000)`
      expect(await makePlace().launch(program, runs).ended).toMatchObject({ code: null, signal })
    },
  )

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    '%s reaches the program once, and the program ends with its own exit code',
    async (signal) => {
      const launched = makePlace().launch(draining, runs)
      await launched.said(/ready/)
      launched.child.kill(signal)
      const { code, stdout } = await launched.ended
      expect([code, stdout.match(/got \w+/g)]).toEqual([7, [`got ${signal}`]])
    },
  )

  test('Ctrl-C in a terminal reaches the program once, and its exit code is kept', async () => {
    const { code, screen } = await makePlace().inTerminal(draining, runs, '\x03')
    expect([code, screen.match(/got \w+/g)]).toEqual([7, ['got SIGINT']])
  })

  test('the program reads its standard input, typed or piped', async () => {
    const program = `process.stdin.setEncoding('utf8')
let text = ''
for await (const part of process.stdin) text += part
console.log(JSON.stringify(text))`
    const { child, ended } = makePlace().launch(program, runs)
    child.stdin?.end('one\ntwo 🌱')
    expect((await ended).stdout).toBe('"one\\ntwo 🌱"\n')
  })

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    '%s that ends only the shell of npm ends the program with its own exit code too',
    async (signal) => {
      const launched = makePlace().launchFromNpm(draining, runs)
      await launched.said(/ready/)
      launched.child.kill(signal)
      // The streams are the program's too: they close when it has ended.
      const { stdout } = await launched.ended
      expect(stdout.match(/got \w+/g)).toEqual(['got SIGTERM'])
    },
  )

  test('the program can use the terminal: its size, and keys without Enter', async () => {
    const program = `process.stdin.setRawMode(true).once('data', (key) => {
  console.log('key ' + key + ' of ' + process.stdout.columns + ' columns')
  process.exit(0)
})
console.log('ready')`
    const { code, screen } = await makePlace().inTerminal(program, runs, 'x')
    expect(code).toBe(0)
    expect(screen).toContain('key x of 91 columns')
  })
})

describe('the launcher', () => {
  test('a program ends when its launcher is killed', async () => {
    const launched = makePlace().launch(
      waiting(`process.on('SIGTERM', () => { console.log('over'); process.exit() })`),
      'old',
    )
    const [, pid] = await launched.said(/ready (\d+)/)
    expect(Number(pid)).not.toBe(launched.child.pid)
    launched.child.kill('SIGKILL')
    // The streams are the program's too: they close when it has ended.
    expect(await launched.ended).toMatchObject({ signal: 'SIGKILL', stdout: expect.stringContaining('over') })
  })

  test('without a new enough Node, one sentence says what to install', async () => {
    const { code, stdout, stderr } = await makePlace(false).launch('console.log(1)', 'old').ended
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /^farmgate needs Node 24 or newer and this is Node 20\.19\.5 on \w+ \w+: .*install Node 24 or newer from https:\/\/nodejs\.org\.\n$/,
    )
  })

  test('without a program it prints its usage and ends with 2', async () => {
    const launcher = spawn(process.execPath, ['runtime/launch.cjs'], { cwd: makePlace().folder })
    const { code, stderr } = await follow(launcher).ended
    expect([code, stderr]).toEqual([2, 'usage: node runtime/launch.cjs <program> [argument ...]\n'])
  })
})
