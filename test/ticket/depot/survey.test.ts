/** What the survey finds on disk, and its tasks. */
import { describe, expect, test } from 'vitest'
import type { DepotFile } from '../../../ticket/depot/format/depot-file.ts'
import { survey } from '../../../ticket/depot/plan/survey.ts'
import type { FoundFile } from '../../../ticket/depot/tree/check-file.ts'
import { file, good } from './depot-file.ts'

describe('the survey of the files', () => {
  /** Threads that answer each task at once. */
  const surveyed = async (files: readonly DepotFile[], found: (path: string) => FoundFile) => {
    const tasks: number[] = []
    const watched: number[] = []
    const workers = {
      run: async (task: { files: readonly { file: DepotFile }[] }) => {
        tasks.push(task.files.length)
        return task.files.map(({ file: one }) => found(one.path))
      },
    }
    const result = await survey({} as never, files, workers as never, (bytes) => watched.push(bytes))
    return { ...result, tasks, watched }
  }
  const missing: FoundFile = { state: { is: 'missing' }, inPart: undefined }

  test('consists of tasks of at most 64 files, or of 16 MiB', async () => {
    const many = Array.from({ length: 130 }, (_, index) => file(`${index}`, { size: 1 }))
    expect(await surveyed(many, () => missing)).toMatchObject({ tasks: [64, 64, 2], watched: [64, 64, 2] })
    const large = [8, 8, 20, 1].map((mebibytes) => file(`${mebibytes}`, { size: mebibytes * 2 ** 20 }))
    expect((await surveyed(large, () => missing)).tasks).toEqual([2, 1, 1])
    expect((await surveyed([], () => missing)).tasks).toEqual([])
  })

  test('reports files that exist, and the chunks of partial files', async () => {
    const states: Readonly<Record<string, FoundFile>> = {
      good: { state: good, inPart: undefined },
      mode: { state: { ...good, modeWrong: true }, inPart: undefined },
      fix: { state: { ...good, fixMissing: true }, inPart: undefined },
      part: { state: { is: 'missing' }, inPart: [true, false] },
      missing,
    }
    const { states: found, parts } = await surveyed(
      Object.keys(states).map((path) => file(path)),
      (path) => states[path] ?? missing,
    )
    expect(Object.fromEntries(found)).toEqual({
      good,
      mode: { ...good, modeWrong: true },
      fix: { ...good, fixMissing: true },
    })
    expect([...parts]).toEqual([['part', [true, false]]])
  })
})
