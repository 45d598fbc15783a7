/** Interrupted downloads of backups, as the page reads them. */
import { expect, test } from 'vitest'
import { FarmgateError } from '../../client/index.ts'
import { readArchive } from '../../dashboard/views/backups/resumed-download.ts'

const archive = Uint8Array.from({ length: 1000 }, (_, at) => at % 251)

/** Answers that end after so many bytes each; the last of them is repeated. */
function breakingOff(...lengths: readonly number[]) {
  const asked: number[] = []
  return {
    asked,
    async downloadBackup({ from = 0 }: { from?: number | undefined }) {
      const length = lengths[asked.length] ?? lengths.at(-1) ?? 0
      asked.push(from)
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          const part = archive.subarray(from, from + length)
          if (part.byteLength > 0) controller.enqueue(part)
          if (from + length >= archive.byteLength) controller.close()
        },
        pull: () => Promise.reject(new TypeError('network error')),
      })
      return { bytes: archive.byteLength, body }
    },
  }
}
const never = new AbortController().signal

test('an interrupted download resumes where it stopped, and reports its parts', async () => {
  const farm = breakingOff(400, 300, 300)
  const parts: number[] = []
  const blob = await readArchive(farm, 'one', (part) => parts.push(part), never)
  expect(new Uint8Array(await blob.arrayBuffer())).toEqual(archive)
  expect(farm.asked).toEqual([0, 400, 700])
  expect(parts).toEqual([0.4, 0.7, 1])
})

test('a download that is interrupted repeatedly without a further byte ends as unreachable', async () => {
  const farm = breakingOff(400, 0)
  await expect(readArchive(farm, 'one', () => {}, never)).rejects.toMatchObject({ code: 'unreachable' })
  expect(farm.asked).toEqual([0, 400, 400, 400])
})

test('a refusal of the server is not requested again', async () => {
  let asked = 0
  const farm = {
    downloadBackup() {
      asked += 1
      return Promise.reject(new FarmgateError('backup_not_found', 'Backup not found', { status: 404 }))
    },
  }
  await expect(readArchive(farm, 'one', () => {}, never)).rejects.toMatchObject({ code: 'backup_not_found' })
  expect(asked).toBe(1)
})
