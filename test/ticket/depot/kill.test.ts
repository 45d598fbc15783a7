import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gameFilter } from '../../../ticket/depot/plan/filter.ts'
import { startWorkers } from '../../../ticket/depot/workers/worker-pool.ts'
import type { StandInDepot } from '../../platform/depots.ts'
import { seededBytes, seededRandom } from '../../platform/seeded.ts'
import { type Farm, farm, newFolder, tree } from './farm.ts'
import { gameDepot, gameFiles } from './games.ts'
import { child, orderFor } from './six-files.ts'

const english = gameFilter(new Set(), [])
const MOMENTS = 10
const LANES = 3

const first = gameDepot()
const second = gameDepot(
  gameFiles()
    .filter(({ path }) => path !== 'Content/XACT/Sound Bank.xsb')
    .map((file) =>
      file.path === 'Content/Maps/Town.xnb' ? { ...file, content: seededBytes(99, 230_000) } : file,
    ),
  '7999999999999999999',
)

/** Starts a download of the second version and kills it some time after its start. */
async function killed(host: string, directory: string, depot: StandInDepot, after: number): Promise<boolean> {
  const order = orderFor(host, directory, { filtered: true }, depot)
  const running = spawn(process.execPath, [child, order], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return await new Promise((resolve) => {
    running.stdout.once('data', () => setTimeout(() => running.kill('SIGKILL'), after))
    running.on('close', (_code, signal) => resolve(signal === 'SIGKILL'))
  })
}

test('after kill -9 at any point the next download gives the same files, byte for byte', {
  timeout: 300_000,
}, async () => {
  const random = seededRandom(20261121)
  const workers = startWorkers(2)
  const options = { filter: english, workers: { ...workers, close: async () => undefined } }
  const whole = await farm(second)
  await whole.download(options)
  const expected = tree(whole.directory)
  const mine = { 'Saves/farm': 'a save', 'Mods/mod.dll': 'a mod' }

  let kills = 0
  let unfinished = 0
  const moment = async (number: number, place: Farm): Promise<void> => {
    const { directory, download, publish, cdn } = place
    if (number % 2 === 0) await download(options)
    for (const [path, text] of Object.entries(mine)) {
      mkdirSync(join(directory, path, '..'), { recursive: true })
      writeFileSync(join(directory, path), text)
    }
    publish(second)
    cdn.knobs.fault = ({ kind }) => (kind === 'chunk' ? { do: 'delay', milliseconds: 12 } : undefined)
    if (await killed(cdn.host, directory, second, random() * (number % 2 === 0 ? 120 : 220))) kills += 1
    if (!existsSync(join(directory, '.download-manifest-413150'))) unfinished += 1
    cdn.knobs.fault = () => undefined
    await download(options)
    const found = tree(directory)
    for (const path of Object.keys(mine)) {
      expect(found[path]).toBeDefined()
      delete found[path]
    }
    expect(found).toEqual(expected)
    expect((await place.verify(english)).differences).toEqual([])
  }
  const numbers = Array.from({ length: MOMENTS }, (_, index) => index).values()
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      for (const number of numbers) await moment(number, await farm(first, newFolder()))
    }),
  )
  await workers.close()
  // Most of them were in the middle of a step.
  expect(kills).toBeGreaterThan(MOMENTS / 2)
  expect(unfinished).toBeGreaterThan(MOMENTS / 4)
})
