import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gameFilter } from '../../../ticket/depot/plan/filter.ts'
import { startWorkers } from '../../../ticket/depot/workers/worker-pool.ts'
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

/**
 * Starts a download of the second version, and kills it some time after it has asked for so many chunks: a time after
 * its start would be in its middle on one machine, and after its end on another.
 */
async function killed({ cdn, directory }: Farm, chunks: number, after: number): Promise<boolean> {
  const order = orderFor(cdn.host, directory, { filtered: true }, second)
  const running = spawn(process.execPath, [child, order], { stdio: ['ignore', 'pipe', 'inherit'] })
  const kill = () => setTimeout(() => running.kill('SIGKILL'), after)
  running.stdout.once('data', () => chunks === 0 && kill())
  let asked = 0
  cdn.knobs.fault = ({ kind }) => {
    if (kind !== 'chunk') return undefined
    asked += 1
    if (asked === chunks) kill()
    return { do: 'delay', milliseconds: 12 }
  }
  const [, signal] = await once(running, 'close')
  cdn.knobs.fault = () => undefined
  return signal === 'SIGKILL'
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
    const { directory, download, publish } = place
    const isUpdate = number % 2 === 0
    if (isUpdate) await download(options)
    for (const [path, text] of Object.entries(mine)) {
      mkdirSync(join(directory, path, '..'), { recursive: true })
      writeFileSync(join(directory, path), text)
    }
    publish(second)
    const chunks = isUpdate ? 1 : whole.cdn.chunkRequests()
    if (await killed(place, Math.floor(random() * (chunks + 1)), random() * 60)) kills += 1
    if (!existsSync(join(directory, '.download-manifest-413150'))) unfinished += 1
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
