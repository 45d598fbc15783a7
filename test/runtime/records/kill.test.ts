import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { seededRandom } from '../../../runtime/bridges/simulated/random.ts'
import { databaseFile } from '../../../runtime/records/database.ts'
import { aKeeper, newFolder } from './a-keeper.ts'

const program = fileURLToPath(new URL('killed.ts', import.meta.url))

/** Writes until it is killed, after so many rows. @returns the rows that it said are written */
async function writeAndDie(folder: string, first: number, rows: number): Promise<readonly number[]> {
  const child = spawn(process.execPath, [program, folder, String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const closed = once(child, 'close')
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (said.split('\n').length > rows) child.kill('SIGKILL')
  })
  await closed
  // The last line may have been cut.
  return said.split('\n').slice(0, -1).map(Number)
}

test('after kill -9 at 100 random moments under writes the database opens, and no audited write is missing', {
  timeout: 600_000,
}, async () => {
  const folder = newFolder()
  const random = seededRandom('kill -9')
  const told: number[] = []
  for (let round = 0; round < 100; round += 1)
    told.push(...(await writeAndDie(folder, round * 1_000_000, random.whole(1, 100))))
  const { calls, changes, keeper } = aKeeper(join(folder, databaseFile))
  expect(changes).toEqual([{ state: 'ok' }])
  const found = new Map<number, string>()
  let before: number | undefined
  do {
    const page = await calls.audit({ limit: 500, ...(before !== undefined && { before }) })
    for (const { requestId, outcome } of page.entries) found.set(Number(requestId), outcome)
    before = page.next === undefined ? undefined : Number(page.next)
  } while (before !== undefined)
  expect(told.length).toBeGreaterThan(1000)
  expect(told.filter((row) => found.get(row) !== 'done')).toEqual([])
  expect(new Set(found.values())).toEqual(new Set(['done', 'unknown']))
  keeper.close()
})
