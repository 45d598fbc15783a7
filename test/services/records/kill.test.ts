import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { seededRandom } from '../../../bridges/simulated/random.ts'
import { databaseFile } from '../../../services/records/database.ts'
import { newFolder } from '../../new-folder.ts'
import { aKeeper } from './a-keeper.ts'

const program = fileURLToPath(new URL('killed.ts', import.meta.url))

/** Writes until it is killed, after so many words. @returns the rows that it reported as written, and the chat lines */
async function writeAndDie(folder: string, first: number, words: number) {
  const child = spawn(process.execPath, [program, folder, String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const closed = once(child, 'close')
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (said.split('\n').length > words) child.kill('SIGKILL')
  })
  await closed
  // The last line might be cut.
  const whole = said.split('\n').slice(0, -1)
  return {
    rows: whole.filter((word) => !word.startsWith('#')).map(Number),
    lines: whole.filter((word) => word.startsWith('#')).map((word) => Number(word.slice(1))),
  }
}

test('after kill -9 at 100 random moments under writes the database opens, no audited write is missing, and the numbers of chat lines continue without a step back', {
  timeout: 600_000,
}, async () => {
  const folder = newFolder()
  const random = seededRandom('kill -9')
  const reported: number[] = []
  const numbered: number[] = []
  for (let round = 0; round < 100; round += 1) {
    const { rows, lines } = await writeAndDie(folder, round * 1_000_000, random.whole(1, 200))
    reported.push(...rows)
    numbered.push(...lines)
  }
  expect(numbered.filter((seq, at) => seq <= (numbered[at - 1] ?? 0))).toEqual([])
  const { calls, changes, keeper } = aKeeper(join(folder, databaseFile))
  expect(changes).toEqual([{ state: 'ok' }])
  const found = new Map<number, string>()
  let before: number | undefined
  do {
    const page = await calls.audit({ limit: 500, ...(before !== undefined && { before }) })
    for (const { requestId, outcome } of page.entries) found.set(Number(requestId), outcome)
    before = page.next === undefined ? undefined : Number(page.next)
  } while (before !== undefined)
  expect(reported.length).toBeGreaterThan(1000)
  expect(reported.filter((row) => found.get(row) !== 'done')).toEqual([])
  expect(new Set(found.values())).toEqual(new Set(['done', 'unknown']))
  keeper.close()
})
