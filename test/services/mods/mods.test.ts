/** The mods of the game server, in real folders. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FarmError } from '../../../handlers/farm-error.ts'
import type { Mods } from '../../../handlers/mods.ts'
import { craftedZip } from '../../backups/crafted-zip.ts'
import { killedBefore } from '../../backups/disk-changes.ts'
import { folderOnOtherDisk } from '../../new-folder.ts'
import { eventually } from '../../wait.ts'
import { farmMods, filesIn, manifestOf, piecesOf, type TestManifest, zipOf } from './farm-mods.ts'

function folders() {
  const farm = farmMods()
  onTestFinished(farm.remove)
  return farm
}

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('it was not refused'),
    (error: unknown) => (error instanceof FarmError ? error.failure : expect.fail(String(error))),
  )
const shown = async (port: Mods, id: string) =>
  (await port.mods()).mods.find((mod) => mod.id === id) ?? expect.fail(`no mod ${id}`)
const install = (port: Mods, zip: Buffer) => port.installMods(piecesOf(zip))

describe('the list', () => {
  test('reads manifests with comments, trailing commas, a byte order mark and members in any case', async () => {
    const farm = folders()
    farm.put(
      'Seeds',
      `\uFEFF{ // comment
        "name": "More /* not a comment */ Seeds", "AUTHOR": "Abby", "version": "1.2-beta.3", /* two
        lines */ "uniqueId": "Abby.Seeds", "Description": "Seeds\\nfor all",
        "contentPackFor": { "uniqueID": "Robin.Packs", "minimumVersion": "2.0", },
        "dependencies": [ { "UniqueID": "Lewis.Opt", "isRequired": false, }, ], }`,
    )
    const { port } = farm.open()
    expect(await port.mods()).toEqual({
      mods: [
        {
          id: 'Abby.Seeds',
          folder: 'Seeds',
          name: 'More /* not a comment */ Seeds',
          version: '1.2-beta.3',
          author: 'Abby',
          description: 'Seeds for all',
          enabled: true,
          kind: 'content',
          contentFor: 'Robin.Packs',
          dependencies: [{ id: 'Lewis.Opt', required: false, state: 'missing' }],
          side: 'unknown',
          problems: [
            {
              code: 'dependency_missing',
              of: 'Robin.Packs',
              message: 'It needs Robin.Packs, which is not installed',
            },
          ],
        },
      ],
      restartNeeded: false,
      access: 'rw',
    })
  })

  test('finds mods in folders of folders, and none in the folder of a mod', async () => {
    const farm = folders()
    farm.put('Group/Sub/One', { id: 'A.One' })
    farm.put('Two', { id: 'A.Two' })
    farm.put('Two/assets', { id: 'A.Inner' })
    farm.write('Mods/Group/README.txt', 'read me')
    farm.put('Off', { id: 'A.Off' }, 'off')
    const { mods } = await farm.open().port.mods()
    expect(mods.map(({ id, folder, enabled }) => [id, folder, enabled])).toEqual([
      ['A.Off', 'Off', false],
      ['A.One', 'Group/Sub/One', true],
      ['A.Two', 'Two', true],
    ])
  })

  test('shows a folder with a dot before its name as disabled, because the game skips it', async () => {
    const farm = folders()
    farm.put('.Hidden', { id: 'A.Hidden' })
    const { port } = farm.open()
    expect(await shown(port, 'A.Hidden')).toMatchObject({ folder: '.Hidden', enabled: false, problems: [] })
    expect(await port.enableMod('A.Hidden')).toBe(true)
    expect(await shown(port, 'A.Hidden')).toMatchObject({ folder: 'Hidden', enabled: true })
  })

  test.each<[string, string, string]>([
    ['no JSON', '{', 'manifest.json is not JSON'],
    ['JSON that is nested too deep', '['.repeat(100_000), 'manifest.json is not JSON'],
    [
      'no id',
      manifestOf({ id: 'A.B', more: { UniqueID: undefined } }),
      'manifest.json has no valid UniqueID',
    ],
    ['an id with other characters', manifestOf({ id: 'A B' }), 'manifest.json has no valid UniqueID'],
    [
      'a version with a leading zero',
      manifestOf({ id: 'A.B', version: '1.02.0' }),
      'manifest.json has no valid Version',
    ],
    [
      'neither code nor content',
      manifestOf({ id: 'A.B', more: { EntryDll: '' } }),
      'manifest.json must have either EntryDll or ContentPackFor',
    ],
    ['more than 256 KiB', ' '.repeat(300_000), 'manifest.json has more than 262144 bytes'],
  ])('a manifest with %s is a problem of the folder, which is then its id', async (_what, text, message) => {
    const farm = folders()
    farm.put('Broken', text)
    expect((await farm.open().port.mods()).mods).toMatchObject([
      { id: 'Broken', name: 'Broken', version: '', problems: [{ code: 'bad_manifest', message }] },
    ])
  })

  test('a folder with files and without a manifest is a problem, an empty one is not', async () => {
    const farm = folders()
    farm.write('Mods/Textures/flowers.xnb', 'x')
    mkdirSync(join(farm.dir, 'Empty'))
    expect((await farm.open().port.mods()).mods).toMatchObject([
      { id: 'Textures', problems: [{ code: 'no_manifest' }] },
    ])
  })

  test.each<[TestManifest['needs'], string, string]>([
    [['B.There'], 'ok', ''],
    [['b.THERE'], 'ok', ''],
    [['SMAPI.ConsoleCommands'], 'ok', ''],
    [['B.Gone'], 'missing', 'dependency_missing'],
    [['B.Off'], 'disabled', 'dependency_disabled'],
    [[{ UniqueID: 'B.There', MinimumVersion: '1.5.1' }], 'too_old', 'dependency_too_old'],
    [[{ UniqueID: 'B.There', MinimumVersion: '1.5.0-beta' }], 'ok', ''],
    [[{ UniqueID: 'B.There', MinimumVersion: '1.5' }], 'ok', ''],
    [[{ UniqueID: 'B.There', MinimumVersion: '1.5.1', IsRequired: false }], 'too_old', 'dependency_too_old'],
    [[{ UniqueID: 'B.Gone', IsRequired: false }], 'missing', ''],
  ])('a mod that needs %j has the dependency %s', async (needs, state, code) => {
    const farm = folders()
    farm.put('There', { id: 'B.There', version: '1.5.0' })
    farm.put('Off', { id: 'B.Off' }, 'off')
    farm.put('Mod', { id: 'A.Mod', needs: needs ?? [] })
    const { dependencies, problems } = await shown(farm.open().port, 'A.Mod')
    expect([dependencies[0]?.state, problems.map((one) => one.code).join()]).toEqual([state, code])
  })

  test('two enabled folders with one mod are a problem of both, a disabled copy is none', async () => {
    const farm = folders()
    farm.put('One', { id: 'A.Mod' })
    farm.put('Copy', { id: 'a.mod' }, 'off')
    const { port } = farm.open()
    expect((await port.mods()).mods.flatMap(({ problems }) => problems)).toEqual([])
    farm.put('Two', { id: 'A.MOD' })
    const { mods } = await port.mods()
    expect(mods.filter(({ enabled }) => enabled)).toMatchObject([
      { folder: 'One', problems: [{ code: 'duplicate', of: 'Two' }] },
      { folder: 'Two', problems: [{ code: 'duplicate', of: 'One' }] },
    ])
    expect(await failureOf(port.disableMod('A.Mod', false))).toMatchObject({
      kind: 'invalid_argument',
      parameter: 'id',
      sentence: expect.stringContaining('One, Two'),
    })
    expect(await port.deleteMod('Two', false)).toBe(true)
    expect((await port.mods()).mods.flatMap(({ problems }) => problems)).toEqual([])
  })
})

describe('a hostile folder', () => {
  test('links, FIFOs and devices are not followed or waited for', async () => {
    const farm = folders()
    farm.write('secret/manifest.json', manifestOf({ id: 'Secret.Mod' }))
    symlinkSync(join(farm.root, 'secret'), join(farm.dir, 'Linked'))
    mkdirSync(join(farm.dir, 'Fifo'))
    execFileSync('mkfifo', [join(farm.dir, 'Fifo', 'manifest.json')])
    mkdirSync(join(farm.dir, 'LinkedFile'))
    symlinkSync(join(farm.root, 'secret', 'manifest.json'), join(farm.dir, 'LinkedFile', 'manifest.json'))
    const { mods } = await farm.open().port.mods()
    expect(mods).toMatchObject([
      { id: 'Fifo', problems: [{ code: 'bad_manifest', message: 'manifest.json is not a regular file' }] },
      { id: 'LinkedFile', problems: [{ code: 'bad_manifest' }] },
    ])
    expect(JSON.stringify(mods)).not.toContain('Secret')
  })

  test('a manifest of 1 GB is not read', async () => {
    const farm = folders()
    farm.put('Huge', '')
    spawnSync('truncate', ['-s', '1G', join(farm.dir, 'Huge', 'manifest.json')])
    expect((await farm.open().port.mods()).mods).toMatchObject([{ problems: [{ code: 'bad_manifest' }] }])
  })

  test('of 1100 mods and 20,000 other files the list has at most 1000, and says that it is incomplete', async () => {
    // In memory, where many files are made quickly.
    const dir = folderOnOtherDisk()
    for (let at = 0; at < 1100; at += 1) {
      mkdirSync(join(dir, `F${at}`))
      writeFileSync(join(dir, `F${at}`, 'manifest.json'), '{}')
    }
    const { port } = folders().open({ dir })
    const { mods, incomplete } = await port.mods()
    expect([mods.length, incomplete]).toEqual([1000, true])
    for (let at = 0; at < 20_000; at += 1) writeFileSync(join(dir, `f${at}`), '')
    expect(await port.mods()).toMatchObject({ incomplete: true })
  })

  test('names with control characters are left out', async () => {
    const farm = folders()
    farm.put('Good', { id: 'A.Good', more: { Name: 'A\u001b[31m\u202EB' } })
    mkdirSync(join(farm.dir, 'bad\u001bname'))
    writeFileSync(join(farm.dir, 'bad\u001bname', 'manifest.json'), manifestOf({ id: 'A.Bad' }))
    expect((await farm.open().port.mods()).mods.map(({ name }) => name)).toEqual(['A [31m B'])
  })

  test('a link in place of MODS_OFF_DIR among the mods is not followed, and no mod leaves the folder', async () => {
    const farm = folders()
    farm.put('Mod', { id: 'A.Mod' })
    farm.write('secret/file', 'x')
    symlinkSync(join(farm.root, 'secret'), join(farm.dir, '.off'))
    const { port } = farm.open({ offDir: join(farm.dir, '.off') })
    expect(await failureOf(port.disableMod('A.Mod', false))).toMatchObject({ kind: 'disk_failed' })
    expect(Object.keys(filesIn(join(farm.root, 'secret')))).toEqual(['file'])
    expect((await port.mods()).mods).toMatchObject([{ id: 'A.Mod', enabled: true }])
  })

  test.each(['../../escape', '/tmp/escape', '.farmgate-mods/x', 'a//b'])(
    'a planted journal that moves to %j is ignored',
    async (to) => {
      const farm = folders()
      farm.write('Mods/.farmgate-mods/journal.json', JSON.stringify({ moves: [{ place: 'on', to }] }))
      farm.write('Mods/.farmgate-mods/new-0/manifest.json', manifestOf({ id: 'Evil.Mod' }))
      const { port } = farm.open()
      await install(port, zipOf({ Mod: { id: 'A.Mod' } }))
      expect(Object.keys(filesIn(farm.root)).filter((path) => !path.startsWith('data/'))).toEqual([
        'Mods/Mod/Mod.dll',
        'Mods/Mod/manifest.json',
      ])
    },
  )
})

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
      /next to the others/,
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

describe('with folders on different file systems', () => {
  test('a mod is not moved to MODS_OFF_DIR, which the message names; disabled mods are replaced and deleted', async () => {
    const farm = folders()
    const offDir = folderOnOtherDisk()
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
    const { port } = farm.open({ dataDir: folderOnOtherDisk() })
    await install(port, zipOf({ Mod: { id: 'A.Mod' } }))
    expect(await shown(port, 'A.Mod')).toMatchObject({ enabled: true })
  })
})

test('a link to the pack is valid until its day, also after a restart, and not after it', async () => {
  const farm = folders()
  let now = Date.parse('2026-11-23T12:00:00Z')
  const { url, expiresAt } = await farm.open({ now: () => now }).port.makePackLink(7)
  expect(expiresAt).toBe('2026-11-30T12:00:00.000Z')
  const { port } = farm.open({ now: () => now })
  const code = url.replace(/^.*=/, '')
  now = Date.parse(expiresAt) - 1
  expect(await port.isPackLink(code)).toBe(true)
  now += 1
  expect(await port.isPackLink(code)).toBe(false)
  expect(readFileSync(join(farm.root, 'data', 'mods.json'), 'utf8')).not.toContain(code)
})
