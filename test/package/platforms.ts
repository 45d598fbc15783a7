/** The client of the package on every platform that docs/client.md names: a read, a change, chat, a new connection. */
import { execFile } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { describe, expect, onTestFinished, test } from 'vitest'
import { launchBrowser } from '../browser.ts'
import { ownServer } from '../contract/shared-server.ts'
import { wireTo } from '../edge/wire.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { type BotProject, root } from './bot-project.ts'

/** The same program everywhere; it says a line when the test shall go on. */
const core = `
import { connect, FarmgateError } from 'farmgate'

export async function core(url, key) {
  const farm = connect({ url, key })
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
`
const id = 2n ** 62n + 3n

/** Runs the program before a server, plays the game's part, and looks at what it found. */
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

export function packageOnPlatforms(project: () => BotProject): void {
  const file = (name: string, text: string) => {
    const path = join(project().folder, name)
    writeFileSync(path, text)
    return path
  }
  const bundled = async (entry: string) => {
    file('core.js', core)
    const { outputFiles } = await build({
      stdin: { contents: entry, resolveDir: project().folder },
      bundle: true,
      format: 'esm',
      write: false,
    })
    return outputFiles[0]?.text ?? ''
  }
  /** On a runtime that is a program: the result is what it prints. */
  const printedBy = (program: string) => async (url: string, key: string) => {
    file('core.js', core)
    const main = file(
      'main.js',
      `import { core } from './core.js'\nconst [url, key] = process.argv.slice(2)\nconsole.log(JSON.stringify(await core(url, key)))`,
    )
    const { stdout } = await promisify(execFile)(program, [main, url, key], { cwd: project().folder })
    return JSON.parse(stdout)
  }

  describe('the client reads, changes, hears, says and connects again', () => {
    test('on Node', () => passes(printedBy(process.execPath)))

    test('on Bun', () => {
      // Bun is a package for each platform, of which npm installs the one for this machine.
      const packages = join(root, 'node_modules/@oven')
      const [name = ''] = readdirSync(packages)
      return passes(printedBy(join(packages, name, 'bin', process.platform === 'win32' ? 'bun.exe' : 'bun')))
    })

    test('in a Cloudflare Worker', async () => {
      const script = await bundled(`
        import { core } from './core.js'
        export default {
          async fetch(request) {
            const { url, key } = await request.json()
            return Response.json(await core(url, key))
          },
        }`)
      const worker = new Miniflare(
        convertV4MiniflareOptions({ modules: true, script, compatibilityDate: '2026-10-20' }),
      )
      onTestFinished(() => worker.dispose())
      await passes(async (url, key) => {
        const body = JSON.stringify({ url, key })
        return (await worker.dispatchFetch('http://worker.example/', { method: 'POST', body })).json()
      })
    })

    test('in a browser', async () => {
      const script = await bundled(`import { core } from './core.js'\nglobalThis.core = core`)
      const pages = createServer((_request, response) => {
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end('<!doctype html><title>Page of a bot</title>')
      })
      await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => {
        pages.closeAllConnections()
        pages.close()
      })
      const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
      const { browser, close } = await launchBrowser()
      onTestFinished(close)
      const page = await browser.newPage()
      await page.goto(origin)
      await page.addScriptTag({ type: 'module', content: script })
      await passes(
        (url, key) => page.evaluate(`core(${JSON.stringify(url)}, ${JSON.stringify(key)})`),
        [origin],
      )
    })
  })
}
