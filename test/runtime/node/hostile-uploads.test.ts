/** Archives of others in real processes: what the memory, the temporary folder and the other farms notice of them. */
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Encrypter } from 'age-encryption'
import { expect, test } from 'vitest'
import { hostileZips, largeFarmManifest } from '../../backups/hostile-zips.ts'
import { mostMemory } from '../../most-memory.ts'
import { newFolder } from '../../new-folder.ts'
import { programs } from '../../programs.ts'
import { pause } from '../../wait.ts'
import { launch } from './farmgate-process.ts'

const MiB = 1024 ** 2
/** Milliseconds that no one else waits longer than. */
const longestWait = 2000

/** Written file by file, as by the upload. */
const slowToUnpack = '4,090 mods with manifests of 256 KiB'

/** Bytes of all files below a folder. */
const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)

async function twoFarms() {
  const folder = newFolder()
  const TMPDIR = join(folder, 'tmp')
  mkdirSync(TMPDIR)
  for (const name of ['clover', 'robin']) {
    const at = (path: string) => join(folder, name, path)
    for (const one of ['game/Saves', 'Mods']) mkdirSync(at(one), { recursive: true })
    const own = {
      ...{ API_PORT: 0, API_KEY: `the-key-of-${name}-farm`, SIM_SEED: name, RATE_LIMIT_READS: 0 },
      ...{ SAVES_DIR: at('game'), MODS_DIR: at('Mods'), MODS_ACCESS: 'rw' },
    }
    const lines = Object.entries(own).map(([variable, value]) => `${variable}=${value}\n`)
    writeFileSync(join(folder, `${name}.env`), lines.join(''))
  }
  const env = { API_HOST: '127.0.0.1', DATA_DIR: join(folder, 'data'), TMPDIR }
  const farmgate = await launch([process.execPath, programs.serve, '--farms', folder], env)
  const client = async (name: string) => {
    const [, url = ''] = await farmgate.said(new RegExp(`"farm":"${name}"[^\\n]*"url":"(http:[^"]+)"`))
    const headers = { Authorization: `Bearer the-key-of-${name}-farm`, 'Content-Type': 'application/zip' }
    return (path: string, init: RequestInit = {}) => fetch(url + path, { headers, ...init })
  }
  return { TMPDIR, pid: farmgate.child.pid, clover: await client('clover'), robin: await client('robin') }
}

test.each(Object.entries(hostileZips))(
  '%s, sent to one farm of serve --farms: no one waits over two seconds, and the process stays below 512 MiB and leaves the temporary folder alone',
  async (_, zip) => {
    const { TMPDIR, pid, clover, robin } = await twoFarms()
    const body = Buffer.from(zip())
    let mostInTmp = 0
    let isOver = false
    const uploads = Promise.all(
      ['/saves?dryRun=true', '/mods'].map(async (path) => {
        const response = await clover(path, { method: 'POST', body })
        return [path, response.status, Object(await response.json()).code]
      }),
    ).finally(() => {
      isOver = true
    })
    let answered = 0
    while (!isOver) {
      for (const farm of [robin, clover]) {
        const response = await farm('/status', { signal: AbortSignal.timeout(longestWait) })
        expect([response.status, Object(await response.json()).isOnline]).toEqual([200, true])
        answered += 1
      }
      mostInTmp = Math.max(mostInTmp, bytesIn(TMPDIR))
      await pause(20)
    }
    for (const [path, ...refusal] of await uploads)
      expect([path, ...refusal]).toEqual([path, 400, 'archive_refused'])
    expect(answered).toBeGreaterThan(0)
    expect(mostInTmp).toBeLessThan(20 * MiB)
    const memory = mostMemory(pid)
    expect(memory).toBeGreaterThan(50 * MiB)
    expect(memory).toBeLessThan(512 * MiB)
  },
  240_000,
)

test.each([
  ...Object.entries(hostileZips).filter(([what]) => what !== slowToUnpack),
  ['a .farm file whose description has 450 MB', async () => encrypted(largeFarmManifest())] as const,
])(
  'farmgate import of %s stays below 512 MiB',
  async (_, content) => {
    const folder = newFolder()
    const TMPDIR = join(folder, 'tmp')
    for (const one of ['game/Saves', 'tmp']) mkdirSync(join(folder, one), { recursive: true })
    const from = join(folder, 'from')
    writeFileSync(from, await content())
    const reports = 'process.on("exit", () => console.error("at most", process.resourceUsage().maxRSS, "kB"))'
    const { child, exited, stderr } = await launch(
      [
        process.execPath,
        ...['--import', `data:text/javascript,${encodeURIComponent(reports)}`],
        ...[programs.commandLine, 'import', from, '--saves', join(folder, 'game')],
      ],
      { TMPDIR },
    )
    child.stdin?.end(`${passphrase}\n`)
    expect(await exited).toEqual({ code: 3, signal: null })
    const [, kilobytes] = /at most (\d+) kB/.exec(stderr()) ?? []
    expect(Number(kilobytes) * 1024).toBeLessThan(512 * MiB)
    expect([bytesIn(TMPDIR), readdirSync(join(folder, 'game', 'Saves'))]).toEqual([0, []])
  },
  240_000,
)

const passphrase = 'a long passphrase'

/** With the work factor of `age -p`, which takes 256 MiB. */
function encrypted(plain: Uint8Array): Promise<Uint8Array> {
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  encrypter.setScryptWorkFactor(18)
  return encrypter.encrypt(plain)
}
