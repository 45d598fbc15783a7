/** What a download would do with each file, given the files on the disk. */
import { describe, expect, test } from 'vitest'
import type { Chunk, DepotFile } from '../../../ticket/depot/format/depot-file.ts'
import type { Manifest } from '../../../ticket/depot/format/manifest.ts'
import { spaceNeeded } from '../../../ticket/depot/install/space.ts'
import { survey } from '../../../ticket/depot/install/survey.ts'
import { applyFilter, bytesToFetch, changes, makePlan } from '../../../ticket/depot/plan/plan.ts'
import type { FileState, FoundFile } from '../../../ticket/depot/tree/check-file.ts'

const chunk = (sha: string, offset = 0, size = 10, packed = 16): Chunk => ({
  sha,
  offset,
  size,
  packed,
})
const file = (path: string, more: Partial<DepotFile> = {}): DepotFile => ({
  path,
  kind: 'file',
  size: 20,
  sha: `sha of ${path}`,
  executable: false,
  target: '',
  chunks: [chunk(`${path} 1`), chunk(`${path} 2`, 10)],
  ...more,
})
const good = { is: 'good', modeWrong: false, fixMissing: false } as const satisfies FileState

const different = (...chunks: boolean[]): FileState => ({ is: 'different', size: 7, good: chunks })

const other = (kind: 'file' | 'directory' | 'link' | 'special'): FileState => ({ is: 'other', kind })

interface Found {
  readonly state?: FileState
  readonly inPart?: readonly boolean[]
}

/** @param found the state of each file on the disk; missing unless given */
function planned(
  found: readonly (readonly [DepotFile, Found?])[],
  more: Partial<Parameters<typeof makePlan>[0]> = {},
) {
  return makePlan({
    kept: found.map(([one]) => one),
    leftOut: [],
    survey: {
      states: new Map(found.flatMap(([{ path }, at]) => (at?.state ? [[path, at.state]] : []))),
      parts: new Map(found.flatMap(([{ path }, at]) => (at?.inPart ? [[path, at.inPart]] : []))),
    },
    before: new Map(),
    stale: [],
    force: false,
    ...more,
  })
}

const shas = (chunks: readonly Chunk[]) => chunks.map(({ sha }) => sha)

describe('a file', () => {
  test('that is missing is fetched whole', () => {
    const { missing, repair, good } = planned([[file('a')]])
    expect(missing).toEqual([
      { file: file('a'), at: 'a', copy: [], fetch: file('a').chunks, why: 'missing', oldSize: 0 },
    ])
    expect([repair, good]).toEqual([[], 0])
  })

  test('that is good is unchanged', () => {
    const plan = planned([[file('a'), { state: good }]])
    expect([plan.good, changes(plan)]).toEqual([1, 0])
  })

  test('that lacks only its executable bit gets only that', () => {
    const plan = planned([[file('a'), { state: { ...good, modeWrong: true } }]])
    expect([plan.modes, plan.good, changes(plan)]).toEqual([[file('a')], 0, 1])
  })

  test('that differs is repaired: its good chunks are copied, the others fetched', () => {
    const { missing, repair } = planned([[file('a'), { state: different(true, false) }]])
    expect(missing).toEqual([])
    const [work] = repair
    expect(work).toMatchObject({ why: 'different', oldSize: 7 })
    expect([shas(work?.copy ?? []), shas(work?.fetch ?? [])]).toEqual([['a 1'], ['a 2']])
  })

  test('with chunks in a partial file does not fetch these again', () => {
    const { missing, repair } = planned([
      [file('missing'), { inPart: [true, false] }],
      [file('differs'), { state: different(true, true), inPart: [false, true] }],
      [file('other'), { state: different(false, false), inPart: [true, false] }],
    ])
    expect(missing.map((work) => [shas(work.copy), shas(work.fetch)])).toEqual([[[], ['missing 2']]])
    expect(repair.map((work) => [shas(work.copy), shas(work.fetch)])).toEqual([
      [['differs 1'], []],
      [[], ['other 2']],
    ])
  })

  test('without the loader fix is written again from its own content', () => {
    const { repair } = planned([[file('a'), { state: { ...good, fixMissing: true } }]])
    expect(repair).toMatchObject([{ why: 'loader fix missing', fetch: [], oldSize: 20 }])
    expect(shas(repair[0]?.copy ?? [])).toEqual(['a 1', 'a 2'])
  })

  test('is fetched whole by force, in any state', () => {
    const { missing, repair } = planned(
      [
        [file('a'), { state: good, inPart: [true, true] }],
        [file('b'), { state: different(true, true) }],
        [file('c')],
      ],
      { force: true },
    )
    expect(missing.map(({ why, copy, fetch, oldSize }) => [why, copy.length, fetch.length, oldSize])).toEqual(
      [
        ['forced', 0, 2, 20],
        ['forced', 0, 2, 7],
        ['forced', 0, 2, 0],
      ],
    )
    expect(repair).toEqual([])
  })

  test('replaced with a link is written', () => {
    const { repair } = planned([[file('a'), { state: other('link') }]])
    expect(repair).toMatchObject([{ why: 'different', copy: [], oldSize: 0 }])
    expect(shas(repair[0]?.fetch ?? [])).toEqual(['a 1', 'a 2'])
  })
})

describe('a launcher that a mod loader has replaced', () => {
  const launcher = file('StardewValley')
  test.each([different(false, false), other('link')])(
    'is kept while its version is the same: %j',
    (state) => {
      for (const before of [new Map(), new Map([[launcher.path, launcher.sha]])]) {
        const plan = planned([[launcher, { state }]], { before })
        expect([plan.replaced, plan.good, changes(plan)]).toEqual([['StardewValley'], 1, 0])
      }
    },
  )

  test('is written when the game has a new version of it', () => {
    const before = new Map([[launcher.path, 'an older one']])
    const plan = planned([[launcher, { state: different(false, false) }]], { before })
    expect([plan.replaced, plan.repair.length]).toEqual([[], 1])
  })

  test('is written by force, and when it is missing', () => {
    expect(planned([[launcher, { state: different(false, false) }]], { force: true }).missing).toHaveLength(1)
    expect(planned([[launcher]]).missing).toHaveLength(1)
  })

  test('is a rule for no other file', () => {
    expect(planned([[file('Stardew Valley.dll'), { state: different(false, false) }]]).repair).toHaveLength(1)
  })
})

describe('folders and links', () => {
  const folder = file('lib', { kind: 'directory', size: 0, chunks: [] })
  const link = file('lib.so', { kind: 'link', size: 0, chunks: [], target: 'lib/a' })

  test('are made where they are missing, and a link with another target is made again', () => {
    const plan = planned([[folder], [link, { state: other('link') }]])
    expect([plan.directories, plan.links, plan.good]).toEqual([[folder], [link], 0])
  })

  test('are unchanged where they are right; only links count as files', () => {
    const plan = planned([
      [folder, { state: good }],
      [link, { state: good }],
    ])
    expect([plan.directories, plan.links, plan.good]).toEqual([[], [], 1])
    expect(plan.kept).toEqual({ files: 1, bytes: 0 })
    expect([...plan.written.keys()]).toEqual(['lib.so'])
  })
})

describe('obstacles', () => {
  const conflict = (one: DepotFile, state: FileState, stale: readonly string[] = []) => {
    try {
      planned([[one, { state }]], { stale })
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }
  const folder = file('lib', { kind: 'directory' })

  test('of a folder are all files that no download wrote', () => {
    expect(conflict(folder, other('file'))).toBe('lib: a file is where a folder must be; remove it first')
    expect(conflict(folder, other('file'), ['other'])).toBeDefined()
    expect(conflict(folder, other('file'), ['lib'])).toBeUndefined()
  })

  test('of a file or a link are only special files', () => {
    expect(conflict(file('a'), other('special'))).toBe(
      'a: a special is where a file must be; remove it first',
    )
    expect(conflict(file('a', { kind: 'link' }), other('special'))).toBe(
      'a: a special is where a link must be; remove it first',
    )
    for (const kind of ['directory', 'link'] as const)
      expect(conflict(file('a'), other(kind))).toBeUndefined()
  })
})

test('a plan has the sizes of the kept, excluded and deleted files, and the list for the next run', () => {
  const leftOut = [{ why: 'audio', files: 1, bytes: 5 }]
  const plan = planned([[file('a')], [file('b', { size: 30 }), { state: good }]], {
    stale: ['old'],
    leftOut,
  })
  expect(plan).toMatchObject({ kept: { files: 2, bytes: 50 }, leftOut, delete: ['old'] })
  expect([...plan.written]).toEqual([
    ['a', 'sha of a'],
    ['b', 'sha of b'],
  ])
  expect(changes(plan)).toBe(2)
})

test('the number of changes counts files, links, folders, modes and deletions', () => {
  const plan = planned(
    [
      [file('missing')],
      [file('differs'), { state: different(true, true) }],
      [file('link', { kind: 'link' })],
      [file('folder', { kind: 'directory' })],
      [file('mode'), { state: { ...good, modeWrong: true } }],
    ],
    { stale: ['old 1', 'old 2'] },
  )
  expect(changes(plan)).toBe(7)
})

test('equal chunks are downloaded once', () => {
  const same = [chunk('shared'), chunk('own', 10, 4, 32)]
  const plan = planned([
    [file('a', { chunks: same })],
    [file('b', { chunks: [chunk('shared')] }), { state: different(false) }],
  ])
  expect(bytesToFetch([...plan.missing, ...plan.repair])).toEqual({ packed: 48, plain: 14, chunks: 2 })
})

test('files are excluded with a sum for each reason; folders never are', () => {
  const manifest: Manifest = {
    depotId: 1,
    manifestId: '1',
    files: [
      file('a.ogg', { size: 5 }),
      file('b.ogg', { size: 6 }),
      file('c.txt'),
      file('d', { size: 7 }),
      file('e.ogg', { kind: 'directory' }),
    ],
  }
  const { kept, leftOut } = applyFilter(manifest, {
    patterns: [],
    whyLeftOut: (path) => (path.endsWith('.ogg') ? 'audio' : path === 'd' ? 'other' : undefined),
  })
  expect(kept.map(({ path }) => path)).toEqual(['c.txt', 'e.ogg'])
  expect(leftOut).toEqual([
    { why: 'audio', files: 2, bytes: 11 },
    { why: 'other', files: 1, bytes: 7 },
  ])
})

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

describe('the space that a download needs', () => {
  const work = (oldSize: number, copied: number, fetched: number) => ({
    file: file('a'),
    at: 'a',
    copy: [chunk('copied', 0, copied)],
    fetch: [chunk('fetched', copied, fetched)],
    why: 'different' as const,
    oldSize,
  })

  test('is that of all new files', () => {
    expect([spaceNeeded([]), spaceNeeded([work(0, 0, 5), work(0, 3, 4)])]).toEqual([0, 12])
  })

  test('is for replaced files their growth, and in addition the largest of them', () => {
    expect(spaceNeeded([work(10, 6, 4)])).toBe(10)
    expect(spaceNeeded([work(10, 6, 9)])).toBe(15)
    expect(spaceNeeded([work(10, 2, 1)])).toBe(3)
    expect(spaceNeeded([work(10, 6, 9), work(20, 10, 10), work(0, 0, 1)])).toBe(5 + 0 + 1 + 20)
  })
})
