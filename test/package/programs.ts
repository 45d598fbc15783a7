/** Programs of the installed package: the bot of the README at both entry points, and the command line. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ServerUnderTest, StartServer } from '../contract/server-under-test.ts'
import { ownServer } from '../contract/shared-server.ts'
import { edgeServer } from '../edge/edge-server.ts'
import { codeBlock } from '../project/code-blocks.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { type BotProject, root } from './bot-project.ts'

const asBrowser = { headers: { Accept: 'text/html' } }

/** Ends it with the test. */
function endsWithTest(child: ChildProcess): void {
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGINT')
    await ended
  })
}

/** @returns everything that it has printed so far */
function textOf({ stdout, stderr }: ChildProcess): () => string {
  let text = ''
  for (const stream of [stdout, stderr])
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
  return () => text
}

export function packagePrograms(project: () => BotProject): void {
  /** Runs the text as a program of the project, with the address and the key in its environment. */
  const runs = (name: string, text: string, { url, key }: ServerUnderTest) => {
    const { folder } = project().client
    writeFileSync(join(folder, name), text)
    const env = { ...process.env, FARMGATE_URL: url, FARMGATE_KEY: key }
    const bot = spawn(process.execPath, [name], { cwd: folder, env, stdio: 'pipe' })
    endsWithTest(bot)
    return bot
  }

  test.each<[string, StartServer]>([
    ['on Node', nodeServer],
    ['at the edge', edgeServer],
  ])('the bot of the README runs as printed there, with a farm %s', async (_, start) => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8')
    const printed = /A bot that answers `hi bot`.*\n(?:.+\n)*\n((?: {4}.*\n)+)/.exec(readme)?.[1] ?? ''
    expect(printed.trim().split('\n')).toHaveLength(3)
    const server = await ownServer(start)
    runs('readme-bot.js', printed, server)
    await server.farm.join({ id: 7n, name: 'Abby' })
    // The bot does not receive lines from before its connection, so it is asked until it answers.
    await eventually(async () => {
      await server.farm.say(7n, 'hi bot')
      const answered = [{ author: 'Bot', message: 'Hello!' }]
      await eventually(() => expect(server.farm.relayed()).toMatchObject(answered), 500)
    })
  })

  test('the program of docs/bot.md, "The client", runs as printed there', async () => {
    const printed = ['import { connect, FarmgateError }', 'const live = farm.live()']
      .map((beginning) => codeBlock('docs/bot.md', beginning))
      .join('\n')
    const server = await ownServer(nodeServer)
    const output = textOf(runs('page-bot.js', printed, server))
    await eventually(() => expect(output()).toMatch(/^live$/m))
    await server.farm.join({ id: 7n, name: 'Abby' })
    await eventually(() => expect(output()).toMatch(/^player_joined$/m))
    await server.farm.say(7n, 'good morning')
    await eventually(() => expect(output()).toMatch(/^Abby: good morning$/m))
  })

  test('the bot of docs/bot.md runs as printed there: it greets joining players, and answers who is here?', async () => {
    const server = await ownServer(nodeServer)
    runs('greeting-bot.js', codeBlock('docs/bot.md', 'import { connect }'), server)
    const said = (message: string) =>
      expect(server.farm.relayed()).toContainEqual(expect.objectContaining({ message }))
    await eventually(async () => {
      await server.farm.leave(7n)
      await server.farm.join({ id: 7n, name: 'Abby' })
      await eventually(() => said('Welcome, Abby!'), 500)
    })
    await server.farm.say(7n, 'who is here?')
    await eventually(() => expect(server.farm.relayed().at(-1)?.message).toMatch(/\bAbby\b(?!!)/))
  })

  describe('the command line', () => {
    test("npx farmgate demo opens a farm, and its output is enough to say a line there and to receive its players' lines", async () => {
      const farmgate = (args: readonly string[], more: Record<string, string> = {}) => {
        const { folder } = project().commandLine
        const child = spawn(process.execPath, [join(folder, 'node_modules/.bin/farmgate'), ...args], {
          cwd: folder,
          env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...more },
        })
        endsWithTest(child)
        return child
      }
      const printed = textOf(farmgate(['demo'], { API_PORT: '0', SIM_SPEED: '50' }))
      const variable = (name: string) =>
        eventually(() => {
          const value = new RegExp(`${name}='(.*)'`).exec(printed())?.[1]
          if (value === undefined) throw new Error(`not printed yet: ${name} in ${printed()}`)
          return value
        })
      const known = {
        FARMGATE_URL: await variable('FARMGATE_URL'),
        FARMGATE_KEY: await variable('FARMGATE_KEY'),
      }
      for (const page of ['/', '/docs/', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js'])
        expect([page, (await fetch(`${known.FARMGATE_URL}${page}`, asBrowser)).status]).toEqual([page, 200])
      const [, command = ''] = /npx farmgate (\w+)\n/.exec(printed()) ?? []
      const chat = farmgate([command, '--as', 'Me'], known)
      const seen = textOf(chat)
      await eventually(() => expect(seen()).toMatch(/^\d\d:\d\d \S.*: \S/m))
      chat.stdin?.write('hello farm\n')
      await eventually(() => expect(seen()).toMatch(/^\d\d:\d\d Me: hello farm$/m))
    })
  })
}
