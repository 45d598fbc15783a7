import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FarmError } from '../../../handlers/farm-error.ts'
import type { Mods } from '../../../handlers/mods.ts'
import type { SentFile } from '../../../handlers/stream.ts'
import { craftedZip } from '../../backups/crafted-zip.ts'
import { killedBefore } from '../../backups/disk-changes.ts'
import { canRun } from '../../left-out.ts'
import { inMemory, newFolder } from '../../new-folder.ts'
import { eventually } from '../../wait.ts'
import { type FarmMods, failureOf, filesIn, folders, install, manifestOf, shown, zipOf } from './farm-mods.ts'

describe('an installation', () => {
  test('puts several mods of one zip in, with the folders above them, and leaves other files out', async () => {
    const farm = folders()
    const { port } = farm.open()
    const zip = zipOf(
      {
        'Mods/Big Pack/[CP] Code': { id: 'A.Code' },
        'Mods/Big Pack/[CP] Art': { id: 'A.Art', contentFor: 'A.Code' },
      },
      {
        'Mods/Big Pack/readme.txt': 'x',
        '__MACOSX/Mods/._x': 'x',
        'Mods/Big Pack/[CP] Art/.git/config': 'x',
      },
    )
    expect(await install(port, zip)).toEqual({
      installed: [
        { id: 'A.Art', name: 'Art', version: '1.0.0', folder: 'Big Pack/[CP] Art' },
        { id: 'A.Code', name: 'Code', version: '1.0.0', folder: 'Big Pack/[CP] Code' },
      ],
      replaced: [],
    })
    expect(Object.keys(filesIn(farm.dir)).sort()).toEqual([
      'Big Pack/[CP] Art/Mod.dll',
      'Big Pack/[CP] Art/manifest.json',
      'Big Pack/[CP] Code/Mod.dll',
      'Big Pack/[CP] Code/manifest.json',
    ])
    expect((await port.mods()).mods.flatMap(({ problems }) => problems)).toEqual([])
  })

  test('of a zip without a folder has a folder with the name of the mod', async () => {
    const farm = folders()
    const answer = await install(farm.open().port, zipOf({ '': { id: 'A.Bare' } }))
    expect(answer.installed).toMatchObject([{ folder: 'Bare' }])
  })

  test('replaces a mod wherever it is, with its config.json and the files that the zip does not have', async () => {
    const farm = folders()
    farm.put('Old Name', { id: 'a.mod', version: '0.9.0' })
    farm.write('Mods/Old Name/config.json', 'mine')
    farm.write('Mods/Old Name/data/kept.txt', 'kept')
    farm.write('Mods/Old Name/Mod.dll', 'old')
    const { port } = farm.open()
    const zip = zipOf(
      { 'New Name': { id: 'A.Mod' } },
      { 'New Name/config.json': 'theirs', 'New Name/data/new.txt': 'new' },
    )
    expect(await install(port, zip)).toMatchObject({
      installed: [],
      replaced: [{ folder: 'Old Name', version: '1.0.0' }],
    })
    const { 'manifest.json': _manifest, ...files } = filesIn(join(farm.dir, 'Old Name'))
    expect(files).toEqual({
      'Mod.dll': 'code of A.Mod 1.0.0',
      'config.json': 'mine',
      'data/kept.txt': 'kept',
      'data/new.txt': 'new',
    })
    expect(readdirSync(farm.dir)).toEqual(['Old Name'])
  })

  test('moves what a replaced mod keeps, however deep or large it is', async () => {
    const farm = folders()
    farm.put('Mod', { id: 'A.Mod', version: '0.9.0' })
    const deep = join('Mod', ...Array.from({ length: 100 }, () => 'd'), 'file')
    farm.write(join('Mods', deep), 'deep')
    farm.write('Mods/Mod/data/own', 'own')
    const sparse = join(farm.dir, 'Mod', 'data', 'sparse')
    spawnSync('truncate', ['-s', '1T', sparse])
    const { ino } = statSync(sparse)
    await install(farm.open().port, zipOf({ Mod: { id: 'A.Mod' } }, { 'Mod/data/new': 'new' }))
    expect(readFileSync(join(farm.dir, deep), 'utf8')).toBe('deep')
    expect(readdirSync(join(farm.dir, 'Mod', 'data')).sort()).toEqual(['new', 'own', 'sparse'])
    expect(statSync(sparse)).toMatchObject({ ino, size: 2 ** 40, blocks: 0 })
  })

  test('of a disabled mod leaves it disabled', async () => {
    const farm = folders()
    farm.put('Mod', { id: 'A.Mod', version: '0.9.0' }, 'off')
    const { port } = farm.open()
    await install(port, zipOf({ Mod: { id: 'A.Mod' } }))
    expect(await shown(port, 'A.Mod')).toMatchObject({ version: '1.0.0', enabled: false })
  })

  test('does not touch another mod whose folder has the same name', async () => {
    const farm = folders()
    farm.put('Mod', { id: 'A.First' })
    const { port } = farm.open()
    expect((await install(port, zipOf({ 'Mod/Inner': { id: 'A.Second' } }))).installed).toMatchObject([
      { folder: 'Inner' },
    ])
    expect((await install(port, zipOf({ Mod: { id: 'A.Third' } }))).installed).toMatchObject([
      { folder: 'Third' },
    ])
  })

  test.each<[string, Buffer, RegExp]>([
    ['no zip', Buffer.from('not a zip'), /zip/i],
    ['no mod', zipOf({}, { 'readme.txt': 'x' }), /no mod/],
    [
      'a broken manifest',
      zipOf({ Mod: { id: 'A.Mod' } }, { 'Other/manifest.json': '{' }),
      /Other\/manifest.json is not JSON/,
    ],
    ['one mod twice', zipOf({ One: { id: 'A.Mod' }, Two: { id: 'a.mod' } }), /twice/],
    [
      'a path that leaves the folder',
      zipOf({ Mod: { id: 'A.Mod' } }, { 'Mod/../../x': 'x' }),
      /invalid|relative|path/i,
    ],
    [
      'more than 20,000 files',
      craftedZip(Array.from({ length: 20_001 }, (_, at) => ({ name: `Mod/${at}` }))),
      /more than 20000 files/,
    ],
    [
      'more than 1 GiB unpacked',
      craftedZip(
        [0, 1].map((at) => ({
          name: `Mod/${at}`,
          bytes: 600 * 1024 ** 2,
          packed: { method: 8, content: Buffer.alloc(1) },
        })),
      ),
      /unpacks to more than 1073741824 bytes/,
    ],
    [
      'a name that is a file and a folder',
      zipOf({ Mod: { id: 'A.Mod' } }, { 'Mod/a': 'x', 'Mod/a/b': 'x' }),
      /is a file and a folder in it/,
    ],
    [
      'more than 64 folders within each other',
      zipOf({ Mod: { id: 'A.Mod' } }, { [`Mod/${'d/'.repeat(100)}file`]: 'x' }),
      /more than 64 folders within each other/,
    ],
  ])('with %s is refused, and nothing is changed', async (_what, zip, sentence) => {
    const farm = folders()
    farm.put('Mod', { id: 'A.Mod', version: '0.1.0' })
    const before = filesIn(farm.dir)
    const { port } = farm.open()
    expect(await failureOf(install(port, zip))).toMatchObject({
      kind: 'archive_refused',
      sentence: expect.stringMatching(sentence),
    })
    expect(filesIn(farm.dir)).toEqual(before)
    expect(readdirSync(join(farm.root, 'data', 'uploads'))).toEqual([])
  })

  test('of a zip whose upload ends early is refused, and nothing is changed', async () => {
    const farm = folders()
    async function* brokenOff() {
      yield zipOf({ Mod: { id: 'A.Mod' } }).subarray(0, 50)
      throw new Error('gone')
    }
    await expect(farm.open().port.installMods(brokenOff())).rejects.toThrow('gone')
    expect([filesIn(farm.dir), readdirSync(join(farm.root, 'data', 'uploads'))]).toEqual([{}, []])
  })
})

describe('a change', () => {
  test('of a mod that enabled ones need is refused with their ids, unless forced; contentFor counts', async () => {
    const farm = folders()
    farm.put('Base', { id: 'A.Base' })
    farm.put('Pack', { id: 'A.Pack', contentFor: 'a.base' })
    farm.put('User', { id: 'A.User', needs: ['A.Base', { UniqueID: 'A.Pack', IsRequired: false }] })
    farm.put('Off', { id: 'A.Off', needs: ['A.Base'] }, 'off')
    const { port } = farm.open()
    const needed = { kind: 'mod_needed', neededBy: ['A.Pack', 'A.User'] }
    expect(await failureOf(port.disableMod('A.Base', false))).toEqual(needed)
    expect(await failureOf(port.deleteMod('A.Base', false))).toEqual(needed)
    expect(await port.disableMod('A.Pack', false)).toBe(true)
    expect(await port.disableMod('A.Base', true)).toBe(true)
    expect((await shown(port, 'A.User')).problems).toMatchObject([
      { code: 'dependency_disabled', of: 'A.Base' },
    ])
    expect(await port.deleteMod('A.Base', false)).toBe(true)
  })

  test('moves a mod with everything in its folder, and an equal change does nothing', async () => {
    const farm = folders()
    farm.put('Group/Mod', { id: 'A.Mod' })
    farm.write('Mods/Group/Mod/config.json', 'mine')
    const { port } = farm.open()
    const before = filesIn(farm.dir)
    expect(await port.disableMod('a.MOD', false)).toBe(true)
    expect([filesIn(farm.dir), filesIn(farm.offDir)]).toEqual([{}, before])
    expect(await port.disableMod('A.Mod', false)).toBe(true)
    expect(await port.enableMod('A.Mod')).toBe(true)
    expect([filesIn(farm.dir), filesIn(farm.offDir)]).toEqual([before, {}])
    expect(await port.enableMod('A.Mod')).toBe(true)
    expect(
      await Promise.all([
        port.enableMod('A.No'),
        port.disableMod('A.No', true),
        port.deleteMod('A.No', true),
      ]),
    ).toEqual([false, false, false])
  })

  test('works with MODS_OFF_DIR among the mods, which the game skips', async () => {
    const farm = folders()
    farm.put('Mod', { id: 'A.Mod' })
    const { port } = farm.open({ offDir: join(farm.dir, '.off') })
    await port.disableMod('A.Mod', false)
    expect(Object.keys(filesIn(farm.dir))).toEqual(['.off/Mod/manifest.json'])
    expect((await port.mods()).mods).toMatchObject([{ folder: 'Mod', enabled: false }])
    await port.enableMod('A.Mod')
    expect(Object.keys(filesIn(farm.dir))).toEqual(['Mod/manifest.json'])
  })

  test('makes a backup first, and is refused when that fails', async () => {
    const farm = folders()
    farm.put('Mod', { id: 'A.Mod' })
    const made: string[][] = []
    let failure: FarmError | undefined
    const { port } = farm.open({
      backups: {
        makeBackup() {
          made.push(Object.keys(filesIn(farm.dir)))
          return Promise.reject(failure ?? new FarmError({ kind: 'unsupported', what: 'x' }))
        },
      },
    })
    await port.disableMod('A.Mod', false)
    await port.enableMod('A.Mod')
    expect(made).toEqual([['Mod/manifest.json'], []])
    failure = new FarmError({ kind: 'save_in_progress' })
    const before = filesIn(farm.dir)
    for (const call of [
      () => port.disableMod('A.Mod', false),
      () => port.deleteMod('A.Mod', false),
      () => install(port, zipOf({ New: { id: 'A.New' } })),
    ])
      expect(await failureOf(call())).toEqual({ kind: 'save_in_progress' })
    expect([filesIn(farm.dir), made.length]).toEqual([before, 5])
  })

  test('is refused with MODS_ACCESS=ro, which it names', async () => {
    const farm = folders()
    farm.put('Mod', { id: 'A.Mod' })
    const { port } = farm.open({ access: 'ro' })
    for (const call of [
      () => install(port, zipOf({ New: { id: 'A.New' } })),
      () => port.enableMod('A.Mod'),
      () => port.disableMod('A.Mod', true),
      () => port.deleteMod('A.Mod', true),
      () => port.setModSide('A.Mod', 'server'),
    ])
      expect(await failureOf(call())).toMatchObject({
        kind: 'unsupported',
        what: expect.stringContaining('MODS_ACCESS'),
      })
    expect(await port.mods()).toMatchObject({ mods: [{ id: 'A.Mod' }], access: 'ro' })
  })
})

describe('restartNeeded', () => {
  test('is true after a change until the game counts its ticks from the start, also when farmgate restarts', async () => {
    const farm = folders()
    let tickCount = 5000
    const game = { health: () => ({ gameAvailable: true, isFrozen: false, tickCount, pendingActions: 0 }) }
    const mods = farm.open({ game })
    mods.tick()
    await install(mods.port, zipOf({ Mod: { id: 'A.Mod' } }))
    const again = farm.open({ game })
    again.tick()
    expect((await again.port.mods()).restartNeeded).toBe(true)
    tickCount = 60
    again.tick()
    await eventually(async () => expect((await again.port.mods()).restartNeeded).toBe(false))
  })

  test('is true where a mod was changed, also by hand, after the start that the host reports', async () => {
    const farm = folders()
    let started = Date.now() + 60_000
    const { port } = farm.open({ startedAt: async () => started })
    await install(port, zipOf({ Mod: { id: 'A.Mod' } }))
    expect((await port.mods()).restartNeeded).toBe(false)
    started = 1000
    expect((await port.mods()).restartNeeded).toBe(true)
    started = Date.now() + 60_000
    const old = readFileSync(join(farm.dir, 'Mod', 'manifest.json'))
    renameSync(join(farm.dir, 'Mod'), join(farm.root, 'elsewhere'))
    expect((await port.mods()).restartNeeded).toBe(false)
    started = Date.now() - 1000
    mkdirSync(join(farm.dir, 'Copied'))
    writeFileSync(join(farm.dir, 'Copied', 'manifest.json'), old)
    expect(
      (await farm.open({ startedAt: async () => started, dataDir: join(farm.root, 'new') }).port.mods())
        .restartNeeded,
    ).toBe(true)
  })
})

describe('a process that is killed before any change of the disk', () => {
  const zip = zipOf(
    { One: { id: 'A.One', version: '2.0.0' }, Two: { id: 'A.Two', version: '2.0.0' }, New: { id: 'A.New' } },
    { 'One/new.txt': 'new' },
  )
  const prepared = () => {
    const farm = folders()
    for (const [name, place] of [
      ['One', 'Mods'],
      ['Two', 'Mods.off'],
    ] as const) {
      farm.put(name, { id: `A.${name}` }, place === 'Mods' ? undefined : 'off')
      farm.write(`${place}/${name}/config.json`, 'mine')
      farm.write(`${place}/${name}/Mod.dll`, 'old code')
    }
    return farm
  }
  const modsOf = ({ dir, offDir }: ReturnType<typeof folders>) =>
    ['One', 'Two', 'New'].map((name) =>
      JSON.stringify([dir, offDir].map((place) => filesIn(join(place, name)))),
    )
  /** Makes a change that ends there, and starts farmgate again. */
  const changed = async (act: (port: Mods) => Promise<unknown>, at: number) => {
    const farm = prepared()
    const { port } = farm.open()
    const disk = killedBefore(at)
    onTestFinished(disk.end)
    await act(port).catch(() => undefined)
    disk.end()
    const next = farm.open()
    await next.close()
    return { farm, port: next.port, wasKilled: disk.wasReached(), mods: modsOf(farm) }
  }

  test.each<[string, (port: Mods) => Promise<unknown>]>([
    ['an installation', (port) => install(port, zip)],
    ['disabling', (port) => port.disableMod('A.One', false)],
    ['enabling', (port) => port.enableMod('A.Two')],
    ['deleting', (port) => port.deleteMod('A.One', false)],
    ['deleting of a disabled mod', (port) => port.deleteMod('A.Two', false)],
  ])(
    'of %s leaves each mod whole, as before or as after it, when farmgate starts again',
    async (_what, act) => {
      const old = modsOf(prepared())
      const { mods: fresh, wasKilled } = await changed(act, Number.POSITIVE_INFINITY)
      expect(wasKilled).toBe(false)
      const ends = new Set<string>()
      for (let at = 1; ; at += 1) {
        const { farm, port, wasKilled, mods } = await changed(act, at)
        if (!wasKilled) break
        ends.add(mods.join() === old.join() ? 'old' : mods.join() === fresh.join() ? 'new' : `${at}: ${mods}`)
        expect(
          [farm.dir, farm.offDir].flatMap((place) => (existsSync(place) ? readdirSync(place) : [])),
        ).not.toContain('.farmgate-mods')
        expect((await port.mods()).mods.flatMap(({ problems }) => problems)).toEqual([])
        // What the game still has loaded may differ.
        if (mods.join() !== old.join()) expect((await port.mods()).restartNeeded).toBe(true)
      }
      expect([...ends].sort()).toEqual(['new', 'old'])
    },
  )
})

const oneDisk = inMemory === tmpdir() ? 'this machine has no other file system at /dev/shm' : undefined
describe.runIf(canRun('folders on different file systems', oneDisk))(
  'with folders on different file systems',
  () => {
    test('a mod is not moved to MODS_OFF_DIR, which the message names; disabled mods are replaced and deleted', async () => {
      const farm = folders()
      const offDir = newFolder(inMemory)
      farm.put('Mod', { id: 'A.Mod' })
      mkdirSync(join(offDir, 'Off'))
      writeFileSync(join(offDir, 'Off', 'manifest.json'), manifestOf({ id: 'A.Off' }))
      const { port } = farm.open({ offDir })
      const refused = { kind: 'disk_failed', detail: 'MODS_OFF_DIR is not on the file system of MODS_DIR' }
      expect(await failureOf(port.disableMod('A.Mod', false))).toEqual(refused)
      expect(await failureOf(port.enableMod('A.Off'))).toEqual(refused)
      const zip = zipOf({ A: { id: 'A.Mod', version: '2.0.0' }, B: { id: 'A.Off', version: '2.0.0' } })
      expect((await install(port, zip)).replaced).toMatchObject([{ folder: 'Mod' }, { folder: 'Off' }])
      expect(await shown(port, 'A.Off')).toMatchObject({ version: '2.0.0', enabled: false })
      expect(await port.deleteMod('A.Off', false)).toBe(true)
      expect([readdirSync(farm.dir), readdirSync(offDir)]).toEqual([['Mod'], []])
    })

    test('mods are installed from uploads in DATA_DIR', async () => {
      const farm = folders()
      const { port } = farm.open({ dataDir: newFolder(inMemory) })
      await install(port, zipOf({ Mod: { id: 'A.Mod' } }))
      expect(await shown(port, 'A.Mod')).toMatchObject({ enabled: true })
    })
  },
)

const by = { id: 'k', name: 'a key' }

test('a link to the pack is valid until its day, also after a restart, and not after it', async () => {
  const farm = folders()
  let now = Date.parse('2026-11-23T12:00:00Z')
  const { id, url, expiresAt } = await farm.open({ now: () => now }).port.makePackLink(7, by)
  expect(expiresAt).toBe('2026-11-30T12:00:00.000Z')
  const { port } = farm.open({ now: () => now })
  const code = url.replace(/^.*=/, '')
  now = Date.parse(expiresAt) - 1
  expect(await port.packLinkOf(code)).toBe(id)
  expect(await port.packLinks()).toEqual([{ id, createdAt: '2026-11-23T12:00:00.000Z', expiresAt, by }])
  now += 1
  expect([await port.packLinkOf(code), await port.packLinks()]).toEqual([undefined, []])
  expect(readFileSync(join(farm.root, 'data', 'mods.json'), 'utf8')).not.toContain(code)
})

test('a link of which only the digest was kept works, is listed and can be revoked', async () => {
  const farm = folders()
  const digest = createHash('sha256').update('the code').digest('hex')
  farm.write(
    'data/mods.json',
    JSON.stringify({ sides: {}, links: [{ digest, expiresAt: Date.now() + 9999 }] }),
  )
  const { port } = farm.open()
  const id = (await port.packLinkOf('the code')) ?? expect.fail('the link has ended')
  expect(await port.packLinks()).toMatchObject([{ id, by: { id: 'unknown', name: 'unknown' } }])
  expect([await port.revokePackLink(id), await port.revokePackLink(id)]).toEqual([true, false])
  expect(await farm.open().port.packLinkOf('the code')).toBeUndefined()
})

test('there are at most 100 links at a time: another one is refused until one ends', async () => {
  const farm = folders()
  let now = Date.parse('2026-11-23T12:00:00Z')
  const { port } = farm.open({ now: () => now })
  const first = await port.makePackLink(1, by)
  for (let count = 1; count < 100; count += 1) await port.makePackLink(7, by)
  expect(await failureOf(port.makePackLink(7, by))).toEqual({ kind: 'too_many', of: 'pack_links' })
  expect(await port.packLinkOf(first.url.replace(/^.*=/, ''))).toBe(first.id)
  now += 86_400_000
  const { id } = await port.makePackLink(7, by)
  expect(await failureOf(port.makePackLink(7, by))).toEqual({ kind: 'too_many', of: 'pack_links' })
  await port.revokePackLink(id)
  await port.makePackLink(7, by)
  expect(await port.packLinks()).toHaveLength(100)
})

test('a link is revoked at once although DATA_DIR cannot be written', async () => {
  const farm = folders()
  const { port } = farm.open()
  const { id, url } = await port.makePackLink(7, by)
  rmSync(join(farm.root, 'data'), { recursive: true })
  farm.write('data', 'no folder')
  expect(await port.revokePackLink(id)).toBe('memory')
  expect(await port.packLinkOf(url.replace(/^.*=/, ''))).toBeUndefined()
})

describe('the pack', () => {
  const bytesOf = async ({ read, bytes, close }: SentFile) => {
    const all = Buffer.from(await read(0, bytes))
    await close?.()
    return all
  }
  const packsOf = ({ root }: FarmMods) => readdirSync(join(root, 'data', 'packs'))

  test('is made once for each state of the mods, and the same mods make the same bytes', async () => {
    const farm = folders()
    farm.put('Mod', { id: 'A.Mod' })
    farm.write('Mods/Mod/noise.bin', randomBytes(600_000))
    const open = farm.open().port.modsPack
    const [one, other] = await Promise.all([open(), open()])
    const bytes = await bytesOf(one)
    expect([one.tag, await bytesOf(other)]).toEqual([other.tag, bytes])
    const kept = packsOf(farm)
    const { mtimeMs } = statSync(join(farm.root, 'data', 'packs', String(kept)))
    const again = await farm.open().port.modsPack()
    expect([again.tag, await bytesOf(again)]).toEqual([one.tag, bytes])
    expect([packsOf(farm), statSync(join(farm.root, 'data', 'packs', String(kept))).mtimeMs]).toEqual([
      kept,
      mtimeMs,
    ])
    rmSync(join(farm.root, 'data', 'packs'), { recursive: true })
    expect(await bytesOf(await open())).toEqual(bytes)
  })

  test('has what a mod is now; the old one is removed, and a download of it continues', async () => {
    const farm = folders()
    farm.put('Mod', { id: 'A.Mod' })
    const { port } = farm.open()
    const old = await port.modsPack()
    farm.write('Mods/Mod/readme.txt', 'more')
    const made = await port.modsPack()
    expect(made.tag).not.toBe(old.tag)
    expect(packsOf(farm).length).toBe(1)
    expect((await bytesOf(old)).includes('readme.txt')).toBe(false)
    expect((await bytesOf(made)).includes('readme.txt')).toBe(true)
    await port.setModSide('A.Mod', 'server')
    expect((await bytesOf(await port.modsPack())).includes('Mod.dll')).toBe(false)
  })

  test('is not made where the disk has no room for it', async () => {
    const farm = folders()
    farm.put('Mod', { id: 'A.Mod' })
    const { port } = farm.open({ room: async () => 100 })
    expect(await failureOf(port.modsPack())).toMatchObject({ kind: 'disk_low' })
  })
})
