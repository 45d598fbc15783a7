/** Small zips that use up memory or time: each is refused by a thread, whatever it was sent to. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { currentFarm } from '../../../lib/current-farm.ts'
import { archivesApart } from '../../../services/archives/apart.ts'
import { BrokenArchive } from '../../../services/archives/broken-archive.ts'
import { isShortage } from '../../../services/archives/read-archive.ts'
import { hostileZips } from '../../backups/hostile-zips.ts'
import { backupsOf, savedFarm } from '../../backups/saved-farm.ts'
import { suiteKey } from '../../contract/server-under-test.ts'
import { inMemory, newFolder } from '../../new-folder.ts'
import { type NodeServer, nodeServer } from '../../runtime/node/node-server.ts'
import { game } from './clover.ts'

/** Megabytes of this process, now. */
const resident = () => process.memoryUsage.rss() / 2 ** 20

describe('a zip of a few kilobytes or megabytes is refused with 400, and the server stays small and answers', () => {
  let server: NodeServer
  beforeAll(async () => {
    server = await nodeServer()
    server.saved.save()
  })
  afterAll(() => server.stop())
  const send = async (path: string, body: Buffer<ArrayBuffer>) => {
    const headers = { Authorization: `Bearer ${suiteKey}`, 'Content-Type': 'application/zip' }
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method: 'POST', headers, body })
    return [response.status, Object(await response.json()).code]
  }

  /** Where others would only write all of it to the disk first. */
  const paths: Readonly<Record<string, readonly string[]>> = {
    '4,090 mods with manifests of 256 KiB': ['/mods'],
    '1.5 GB of zeros': ['/saves?dryRun=true'],
  }
  test.each(Object.entries(hostileZips))(
    '%s',
    async (what, zip) => {
      const body = Buffer.from(zip())
      const before = resident()
      let most = before
      const watching = setInterval(() => {
        most = Math.max(most, resident())
      }, 10)
      for (const path of paths[what] ?? ['/saves?dryRun=true', '/saves', '/mods'])
        expect([path, ...(await send(path, body))]).toEqual([path, 400, 'archive_refused'])
      clearInterval(watching)
      expect(most - before).toBeLessThan(400)
      expect(readdirSync(server.saved.saves).filter((name) => name.startsWith('.farmgate-import'))).toEqual(
        [],
      )
      expect((await fetch(`http://127.0.0.1:${server.port}/health`)).status).toBe(200)
    },
    240_000,
  )
})

test('a zip in BACKUP_DIR that takes much memory hides no other backup', async () => {
  const farm = savedFarm()
  afterAll(farm.remove)
  farm.save()
  const first = backupsOf(farm, game)
  const { id } = await first.port.makeBackup()
  await first.close()
  writeFileSync(
    join(farm.folder, 'people.zip'),
    hostileZips['a manifest of 8 MiB with four million people'](),
  )
  writeFileSync(join(farm.folder, 'folders.zip'), hostileZips['one entry of 32,000 folders']())
  const next = backupsOf(farm, game)
  expect((await next.port.backups()).backups.map((backup) => backup.id)).toEqual([id])
  await next.close()
})

describe('a thread of archives', () => {
  const threadOf = (code: string) => {
    const folder = newFolder(inMemory)
    const path = join(folder, 'thread.mjs')
    writeFileSync(path, `import { parentPort } from 'node:worker_threads'\n${code}`)
    return archivesApart<{ work(): Promise<string> }>(new URL(`file://${path}`))
  }
  const answer = `parentPort.on('message', ({ i }) => parentPort.postMessage({ t: 's', i, r: 'done' }))`

  test('that uses up its memory is a refused archive, and the next call has a new thread', async () => {
    const flag = join(newFolder(inMemory), 'second')
    const apart = threadOf(`
      import { existsSync, writeFileSync } from 'node:fs'
      if (existsSync(${JSON.stringify(flag)})) { ${answer} }
      else {
        writeFileSync(${JSON.stringify(flag)}, '')
        parentPort.on('message', () => { const kept = []; for (;;) kept.push({ a: kept.length }) })
      }`)
    await expect(apart((calls) => calls.work())).rejects.toBeInstanceOf(BrokenArchive)
    expect(await apart((calls) => calls.work())).toBe('done')
  })

  test('that cannot start says nothing about the archive', async () => {
    const apart = archivesApart<{ work(): Promise<string> }>(new URL('file:///nowhere/thread.mjs'))
    const error = await apart((calls) => calls.work()).catch((reason: unknown) => reason)
    expect([error instanceof BrokenArchive, isShortage(error)]).toEqual([false, true])
  })

  test('does one call at a time, and at most four run', async () => {
    let running = 0
    let most = 0
    const apart = threadOf(answer)
    const calls = Array.from({ length: 9 }, () =>
      apart(async ({ work }) => {
        running += 1
        most = Math.max(most, running)
        await work()
        running -= 1
      }),
    )
    await Promise.all(calls)
    expect(most).toBe(4)
  })

  test('that ends because nothing was to do takes no further call: the next one has a new thread', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const apart = threadOf(answer)
    expect(await apart((calls) => calls.work())).toBe('done')
    vi.advanceTimersByTime(2000)
    expect(await apart((calls) => calls.work())).toBe('done')
  })

  test('of one farm leaves threads to the other farms, which wait for none of its archives', async () => {
    const apart = threadOf(answer)
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const [hostile, other] = [{ fail: () => undefined }, { fail: () => undefined }]
    let running = 0
    const held = Array.from({ length: 9 }, () =>
      currentFarm.run(hostile, () =>
        apart(() => {
          running += 1
          return ended
        }),
      ),
    )
    expect(await currentFarm.run(other, () => apart((calls) => calls.work()))).toBe('done')
    expect(running).toBe(2)
    end()
    await Promise.all(held)
    expect(running).toBe(9)
  })
})
