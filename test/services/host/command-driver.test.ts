/** A game behind three commands, with a log in a file: real processes and files. */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { commandDriver } from '../../../services/host/command-driver.ts'
import type { HostVariables } from '../../../services/host/host-variables.ts'
import { newFolder } from '../../new-folder.ts'
import { eventually } from '../../wait.ts'
import { driverParts, drivesGames, failureOf } from './drivers.ts'

/** Runs JavaScript in a separate process. */
const node = (script: string, ...args: string[]) => [process.execPath, '-e', script, ...args] as const

/** Sends a signal to the process whose id is in a file. */
const signal = (name: string, pid: string) => ['sh', '-c', `kill -${name} "$(cat '${pid}')"`] as const

/** A game is a process whose id is in a file; the commands start it, end it, and look for it. */
function place(given: HostVariables = {}) {
  const folder = newFolder()
  const pid = join(folder, 'pid')
  const log = join(folder, 'game.log')
  const game = `
    const log = (text) => require('node:fs').appendFileSync(${JSON.stringify(log)}, text + '\\n')
    process.on('SIGTERM', () => { log('the game ends'); process.exit() })
    log('the game is ready')
    setInterval(() => {}, 1000)`
  const variables: HostVariables = {
    GAME_START: ['sh', '-c', `'${process.execPath}' -e "$0" </dev/null & echo $! >'${pid}'`, game],
    GAME_STOP: signal('TERM', pid),
    GAME_RUNNING: signal('0', pid),
    GAME_LOG: log,
    ...given,
  }
  const host = commandDriver(variables, driverParts)
  onTestFinished(async () => {
    if (existsSync(pid)) await host.stop(20).catch(() => undefined)
    host.close()
  })
  return { folder, log, host, variables }
}

const sentenceOf = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('it did not fail'),
    (error: { readonly failure?: { readonly sentence?: string } }) => error.failure?.sentence,
  )

test('a GAME_START that is the game itself keeps running, also when farmgate closes', async () => {
  const folder = newFolder()
  const mark = join(folder, 'mark')
  const { host } = place({
    GAME_RUNNING: node(`process.exit(require('node:fs').existsSync(${JSON.stringify(mark)}) ? 0 : 1)`),
    GAME_START: node(
      `require('node:fs').writeFileSync(${JSON.stringify(mark)}, String(process.pid)); setInterval(() => {}, 1000)`,
    ),
    GAME_STOP: node(
      `const fs = require('node:fs'); process.kill(Number(fs.readFileSync(${JSON.stringify(mark)})), 'SIGKILL'); fs.rmSync(${JSON.stringify(mark)})`,
    ),
  })
  await host.start()
  expect(await host.inspect()).toEqual({ state: 'running' })
  await host.stop(10)
  expect(await host.inspect()).toEqual({ state: 'stopped' })
})

test('arguments are passed unchanged: no shell reads them', async () => {
  const folder = newFolder()
  const seen = join(folder, 'seen')
  const hostile = `$(touch ${folder}/owned); "' && touch ${folder}/owned`
  const { host } = place({
    GAME_START: node(`require('node:fs').writeFileSync(${JSON.stringify(seen)}, process.argv[1])`, hostile),
  })
  await host.start()
  await eventually(() => expect(existsSync(seen)).toBe(true))
  expect(existsSync(join(folder, 'owned'))).toBe(false)
})

test('the commands have the environment that the driver was given, and no other variable', async () => {
  const seen = join(newFolder(), 'seen')
  const { variables } = place()
  const host = commandDriver(
    {
      ...variables,
      GAME_START: node(
        `require('node:fs').writeFileSync(${JSON.stringify(seen)}, JSON.stringify(process.env))`,
      ),
    },
    { ...driverParts, env: { SHOWN: 'yes' } },
  )
  await host.start()
  await eventually(() => expect(JSON.parse(readFileSync(seen, 'utf8'))).toEqual({ SHOWN: 'yes' }))
  host.close()
})

test.each(['GAME_RUNNING', 'GAME_STOP'] as const)('a %s that hangs is ended', async (name) => {
  const mark = join(newFolder(), 'mark')
  const hangs = node(
    `require('node:fs').writeFileSync(${JSON.stringify(mark)}, String(process.pid)); setInterval(() => {}, 1000)`,
  )
  const { host } = place({ GAME_RUNNING: ['true'], [name]: hangs })
  expect(await failureOf(name === 'GAME_STOP' ? host.stop(2) : host.inspect())).toBe('host_unavailable')
  const pid = Number(readFileSync(mark, 'utf8'))
  await eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'))
})

test('a GAME_RUNNING that hangs is ended with its children, also where its output is read', async () => {
  const mark = join(newFolder(), 'mark')
  const { host } = place({ GAME_RUNNING: ['sh', '-c', 'sleep 600 & echo $! >"$0"; echo $!; wait', mark] })
  expect(await host.usage()).toBeUndefined()
  const pid = Number(readFileSync(mark, 'utf8'))
  await eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'))
})

describe('a failure says which command failed, and how', () => {
  test.each([
    [{ GAME_RUNNING: ['/nowhere/running'] as const }, 'GAME_RUNNING cannot be run (ENOENT)'],
    [{ GAME_START: node('process.exit(3)') }, 'GAME_START ended with exit code 3'],
    [{ GAME_START: ['/nowhere/start'] as const }, 'GAME_START cannot be run (ENOENT)'],
    [{ GAME_START: node("process.kill(process.pid, 'SIGKILL')") }, 'GAME_START was ended by SIGKILL'],
  ])('%j', async (given, sentence) => {
    expect(await sentenceOf(place(given).host.start())).toBe(sentence)
  })

  test.each([
    [node('process.exit(0)'), 'The game still runs 1 s after GAME_STOP'],
    [node('process.exit(4)'), 'GAME_STOP ended with exit code 4, and the game still runs'],
  ])('a GAME_STOP that does not stop the game', async (stop, sentence) => {
    const { host, variables } = place({ GAME_RUNNING: ['true'] })
    const stubborn = commandDriver({ ...variables, GAME_STOP: stop }, driverParts)
    expect(await sentenceOf(stubborn.stop(1))).toBe(sentence)
    stubborn.close()
    host.close()
  })
})

test('without GAME_LOG there is no log', async () => {
  const { variables } = place()
  const { GAME_LOG: _, ...rest } = variables
  const logless = commandDriver(rest, driverParts)
  expect(logless.can).toEqual({ console: false, log: false })
  expect(await failureOf(logless.log(1))).toBe('unsupported')
})

describe('the file of the log', () => {
  const followed = async () => {
    const { log, host, folder } = place()
    writeFileSync(log, 'before\n')
    const heard: string[] = []
    const end = host.follow(({ text }) => heard.push(text))
    await eventually(() => {
      appendFileSync(log, 'mark\n')
      expect(heard).toContain('mark')
    })
    const hears = (text: string) => eventually(() => expect(heard).toContain(text))
    const ofTest = () => heard.filter((text) => text !== 'mark')
    return { log, folder, host, heard, end, hears, ofTest }
  }

  test('is followed from its end, over rotation and truncation, with half lines', async () => {
    const { log, heard, hears, ofTest, end } = await followed()
    appendFileSync(log, 'half')
    appendFileSync(log, ' a line\n')
    await hears('half a line')
    appendFileSync(log, 'last of the first file\n')
    renameSync(log, `${log}.1`)
    writeFileSync(log, `first of the second file\n${'mark\n'.repeat(20_000)}`)
    await hears('first of the second file')
    await eventually(() => expect(heard.length).toBeGreaterThan(20_000))
    truncateSync(log)
    appendFileSync(log, 'written after it was emptied\n')
    await hears('written after it was emptied')
    rmSync(log)
    writeFileSync(log, 'a third file\n')
    await hears('a third file')
    expect(ofTest()).toEqual([
      'half a line',
      'last of the first file',
      'first of the second file',
      'written after it was emptied',
      'a third file',
    ])
    end()
  })

  test('that does not exist yet is followed from its start', async () => {
    const { log, host } = place()
    const heard: string[] = []
    const end = host.follow(({ text }) => heard.push(text))
    await eventually(() => {
      // The first of these files can exist before it looks.
      rmSync(log, { force: true })
      writeFileSync(log, 'the first line\n')
      expect(heard).toContain('the first line')
    })
    end()
  })

  test.each([
    ['a link', (path: string, secret: string) => symlinkSync(secret, path)],
    ['a FIFO', (path: string) => void execFileSync('mkfifo', [path])],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('that the game has replaced with %s is not read', async (_what, plant) => {
    const { host, log, folder } = place()
    const secret = join(folder, 'secret')
    writeFileSync(secret, 'secret\n')
    const heard: string[] = []
    const end = host.follow(({ text }) => heard.push(text))
    plant(log, secret)
    expect(await sentenceOf(host.log(5))).toBe('The file in GAME_LOG cannot be read (not a regular file)')
    rmSync(log, { recursive: true })
    await eventually(() => {
      appendFileSync(log, 'a line\n')
      expect(heard).toContain('a line')
    })
    expect(heard).not.toContain('secret')
    end()
  })

  test('with a name that is not a file cannot be read, and says so', async () => {
    const { host } = place({ GAME_LOG: '/nowhere/game.log' })
    expect(await sentenceOf(host.log(5))).toBe('The file in GAME_LOG cannot be read (ENOENT)')
    host.follow(() => undefined)()
  })
})

describe('a game behind commands', () => {
  drivesGames(
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'farmgate-'))
      const [pid, log] = [join(folder, 'pid'), join(folder, 'game.log')]
      const game = fileURLToPath(new URL('game.ts', import.meta.url))
      const start = `'${process.execPath}' '${game}' '${folder}' >>'${log}' 2>&1 </dev/null & echo $! >'${pid}'`
      const variables = {
        GAME_START: ['sh', '-c', start],
        GAME_STOP: signal('TERM', pid),
        GAME_RUNNING: signal('0', pid),
        GAME_LOG: log,
      } as const
      const another = () => commandDriver(variables, driverParts)
      const host = another()
      const kill = async () => process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL')
      return {
        host,
        another,
        folder,
        kill,
        async close() {
          await kill().catch(() => undefined)
          host.close()
          rmSync(folder, { recursive: true, force: true })
        },
      }
    },
    { console: false, exitCodes: false, times: false, kills: false },
  )
})
