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

/** Writes until it is killed, after so many words. @returns the words of each database */
async function writeAndDie(folders: readonly string[], first: number, words: number) {
  const child = spawn(process.execPath, [program, String(first), ...folders], {
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
  return folders.map((_folder, at) =>
    whole.flatMap((word) => (word.startsWith(`${at} `) ? [word.slice(`${at} `.length)] : [])),
  )
}

/** Databases that one process writes; each kill finds each of them at another moment. */
const databases = 10

test('after kill -9 at 100 random moments under writes the database opens, no audited write is missing, and the numbers of chat lines continue without a step back', {
  timeout: 600_000,
}, async () => {
  const folders = Array.from({ length: databases }, () => newFolder())
  const random = seededRandom('kill -9')
  const said = folders.map((): string[] => [])
  for (let round = 0; round < 100 / databases; round += 1) {
    const words = await writeAndDie(folders, round * 1_000_000, random.whole(1, 100 * databases))
    words.forEach((those, at) => void said[at]?.push(...those))
  }
  expect(said.flat().filter((word) => !word.startsWith('#')).length).toBeGreaterThan(1000)
  const outcomes = new Set<string>()
  for (const [at, folder] of folders.entries()) {
    const words = said[at] ?? []
    const reported = words.filter((word) => !word.startsWith('#')).map(Number)
    const numbered = words.filter((word) => word.startsWith('#')).map((word) => Number(word.slice(1)))
    expect(numbered.filter((seq, line) => seq <= (numbered[line - 1] ?? 0))).toEqual([])
    const { calls, changes, keeper } = aKeeper(join(folder, databaseFile))
    expect(changes).toEqual([{ state: 'ok' }])
    const found = new Map<number, string>()
    let before: number | undefined
    do {
      const page = await calls.audit({ limit: 500, ...(before !== undefined && { before }) })
      for (const { requestId, outcome } of page.entries) found.set(Number(requestId), outcome)
      before = page.next === undefined ? undefined : Number(page.next)
    } while (before !== undefined)
    expect(reported.filter((row) => found.get(row) !== 'done')).toEqual([])
    for (const outcome of found.values()) outcomes.add(outcome)
    keeper.close()
  }
  // A kill finds only some of the databases between the two writes of a row.
  expect([...outcomes].toSorted()).toEqual(['done', 'unknown'])
})
