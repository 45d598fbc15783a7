/** A checkout that belongs to another user and is read-only, as under /opt or on a read-only mount. */
import { spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { follow } from './launched.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { scripts } = v.parse(
  v.object({ scripts: v.object({ start: v.string(), serve: v.string() }) }),
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')),
)
const flag = v.optional(v.boolean(), false)
const { packages } = v.parse(
  v.object({ packages: v.record(v.string(), v.object({ dev: flag, optional: flag, devOptional: flag })) }),
  JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')),
)

/** Only root can change to another user; otherwise only the modes of the folders forbid writing. */
const isRoot = process.getuid?.() === 0
const otherUser = 65534

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) {
    allow(folder, 0o755)
    rmSync(folder, { recursive: true, force: true })
  }
})

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'farmgate-read-only-'))
  folders.push(folder)
  return folder
}

/** Sets the mode of a folder and of all folders in it. */
function allow(folder: string, mode: number): void {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) allow(join(folder, entry.name), mode)
  chmodSync(folder, mode)
}

/** The files from which the image of the control API is built, in a folder that no one can write to. */
function readOnlyCheckout(): string {
  const checkout = temporary()
  const production = Object.entries(packages).filter(
    ([path, { dev, optional, devOptional }]) => path !== '' && !dev && !optional && !devOptional,
  )
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
  const folders = [...dockerfile.matchAll(/^COPY (\w+)\/? /gm)].map(([, name = '']) => name)
  for (const name of ['package.json', ...folders, ...production.map(([path]) => path)])
    cpSync(join(root, name), join(checkout, name), { recursive: true })
  const bin = join(checkout, 'bin')
  mkdirSync(bin)
  cpSync(process.execPath, join(bin, 'node'))
  allow(checkout, 0o555)
  return checkout
}

let checkout: string
beforeAll(() => {
  checkout = readOnlyCheckout()
}, 120_000)

function run(script: string, env: Record<string, string>) {
  const home = temporary()
  if (isRoot) chownSync(home, otherUser, otherUser)
  const child = spawn(script, {
    shell: true,
    cwd: checkout,
    detached: true,
    env: { PATH: `${join(checkout, 'bin')}:${process.env['PATH']}`, HOME: home, TMPDIR: home, ...env },
    ...(isRoot && { uid: otherUser, gid: otherUser }),
  })
  const followed = follow(child)
  const interrupt = () => child.pid !== undefined && process.kill(-child.pid, 'SIGINT')
  return { ...followed, interrupt }
}

test.each([
  ['npm start', scripts.start, /open at (http:\S+)/],
  ['npm run serve', scripts.serve, /"url":"(http:[^"]+)"/],
])('%s runs from a read-only checkout as another user', async (_words, script, address) => {
  const running = run(script, {
    API_PORT: '0',
    API_HOST: '127.0.0.1',
    API_KEY: 'a-key-of-this-test-only',
  })
  const [, url = ''] = await running.said(address)
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok' })
  running.interrupt()
  // Its streams are closed when the program has ended; the code is the shell's.
  await running.ended
  await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed')
})
