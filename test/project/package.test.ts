/** What `npm pack` makes, used by a project of its own as a bot author would. */
import { type ChildProcessWithoutNullStreams, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually, pause } from '../wait.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'farmgate-package-'))
const installed = join(folder, 'project', 'node_modules', 'farmgate')
const project = join(folder, 'project')
let tarball = ''
/** Runs a program of `node_modules` on this Node. @returns what it prints */
const run = (program: string, ...args: string[]) => {
  try {
    return execFileSync(process.execPath, [join(root, 'node_modules', program), ...args], {
      cwd: project,
      encoding: 'utf8',
    })
  } catch (error) {
    throw new Error(String((error as { stdout?: unknown }).stdout), { cause: error })
  }
}

beforeAll(() => {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: root,
    shell: process.platform === 'win32',
  })
  tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '')
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed])
  writeFileSync(join(project, 'package.json'), '{"type":"module"}')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const bot = `
import { connect, FarmgateError, type ChatLine, type Live, type Player } from 'farmgate'

const farm = connect({ url: process.argv[2] ?? '', key: process.argv[3] ?? '', timeout: 60_000 })
const { players } = await farm.players()
const ids: bigint[] = players.map(({ id }: Player) => id)
await farm.setRendering({ fps: 15 }, { signal: AbortSignal.timeout(60_000) })
const refused: unknown = await farm.setTime({ value: 1275 }).catch((error: unknown) => error)
const live: Live = farm.live({ topics: ['players'] })
live.on('chat', (line: ChatLine) => void line.seq.toFixed())
await live.say({ author: 'Bot', message: 'hello' })
live.close()
for await (const item of live) if (item.type === 'event' && item.event === 'player_joined') item.player.name.trim()
console.log(JSON.stringify({ count: ids.length, code: refused instanceof FarmgateError && refused.code, state: live.state }))
`

test.each([
  ['5.9', 'typescript-5.9/bin/tsc'],
  ['of this repository', 'typescript/bin/tsc'],
])(
  'a bot compiles in strict mode against the declarations with TypeScript %s, and runs',
  async (_, compiler) => {
    writeFileSync(join(project, 'bot.ts'), `declare const process: { argv: string[] }\n${bot}`)
    const options = [
      '--strict',
      '--exactOptionalPropertyTypes',
      '--skipLibCheck',
      'false',
      '--target',
      'es2022',
    ]
    for (const resolution of [
      ['--module', 'esnext', '--moduleResolution', 'bundler'],
      ['--module', 'nodenext'],
    ])
      run(compiler, ...options, ...resolution, '--lib', 'es2022,dom', 'bot.ts')
    const server = await nodeServer()
    try {
      // The module is loaded by this process's Node, whose global fetch and WebSocket it uses.
      const { stdout } = await promisify(execFile)(process.execPath, ['bot.js', server.url, server.key], {
        cwd: project,
      })
      expect(JSON.parse(stdout)).toEqual({
        count: expect.any(Number),
        code: 'invalid_parameter',
        state: 'closed',
      })
    } finally {
      await server.stop()
    }
  },
)

test('the bot of the README runs as it is printed there', async () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const printed = /A bot that answers `hi bot`.*\n(?:.+\n)*\n((?: {4}.*\n)+)/.exec(readme)?.[1] ?? ''
  expect(printed.trim().split('\n')).toHaveLength(3)
  writeFileSync(join(project, 'readme-bot.js'), printed)
  const server = await nodeServer()
  const bot = spawn(process.execPath, ['readme-bot.js'], {
    cwd: project,
    env: { ...process.env, FARMGATE_URL: server.url, FARMGATE_KEY: server.key },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const ended = once(bot, 'exit')
  try {
    await server.farm.join({ id: 7n, name: 'Abby' })
    // The bot does not hear what was said before it connected, so it is asked until it answers.
    await eventually(async () => {
      await server.farm.say(7n, 'hi bot')
      await pause(200)
      expect(server.farm.relayed()).toContainEqual(
        expect.objectContaining({ author: 'Bot', message: 'Hello!' }),
      )
    })
  } finally {
    bot.kill()
    await ended
    await server.stop()
  }
})

test('npx farmgate demo opens a farm, and what it prints is enough to say a line there and to hear its players', async () => {
  // In place of an installation from a registry.
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!existsSync(join(project, 'node_modules', name)))
      symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name), 'junction')
  const { bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    bin: { farmgate: string }
  }
  const farmgate = (args: readonly string[], more: Record<string, string> = {}) =>
    spawn(process.execPath, [join(installed, bin.farmgate), ...args], {
      cwd: project,
      env: { PATH: process.env['PATH'] ?? '', HOME: project, ...more },
    })
  const demo = farmgate(['demo'], { API_PORT: '0', SIM_SPEED: '50' })
  const demoEnded = once(demo, 'exit')
  try {
    const printed = textOf(demo)
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
    const [, command = ''] = /npx farmgate (\w+)\n/.exec(printed()) ?? []
    const chat = farmgate([command, '--as', 'Me'], known)
    const chatEnded = once(chat, 'exit')
    const seen = textOf(chat)
    await eventually(() => expect(seen()).toMatch(/^\d\d:\d\d \S.*: \S/m))
    chat.stdin.write('hello farm\n')
    await eventually(() => expect(seen()).toMatch(/^\d\d:\d\d Me: hello farm$/m))
    chat.kill('SIGINT')
    await chatEnded
  } finally {
    demo.kill('SIGINT')
    await demoEnded
  }
})

const textOf = (child: ChildProcessWithoutNullStreams) => {
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
  return () => text
}

test('publint finds nothing to mend', async () => {
  const { messages, pkg } = await publint({ pkgDir: installed, strict: true, pack: false })
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
})

test('the types are right for every way in which an ES module is resolved', () => {
  run('@arethetypeswrong/cli/dist/index.js', tarball, '--profile', 'esm-only', '--no-emoji')
})

test('the package has the client, its declarations, the command line, README and licence, and nothing else', () => {
  expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
  const files = readdirSync(join(installed, 'dist/client'))
  expect(files.filter((name) => !/\.(d\.ts|js)$/.test(name))).toEqual([])
})

test('the client imports nothing at run time, and takes at most 6 kB with gzip', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(installed, 'dist/client/index.js')],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    metafile: true,
    write: false,
  })
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([])
  expect(gzipSync(outputFiles[0]?.contents ?? new Uint8Array()).length).toBeLessThanOrEqual(6_000)
})
