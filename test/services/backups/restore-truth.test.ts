/** A restore says only what is true: about the game, the rights of its user, and the files that stay in the save. */
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { FarmError } from '../../../handlers/farm-error.ts'
import { inSharedFolder } from '../../../lib/shared-folder/shared-folder.ts'
import { settleFiles } from '../../../services/archives/settle-files.ts'
import { newFolder } from '../../new-folder.ts'
import { eventually } from '../../wait.ts'
import { farmToRestore, killedAfterLoad } from './farm-to-restore.ts'
import { name, started } from './loading-game.ts'

let farm: ReturnType<typeof farmToRestore>
beforeEach(() => {
  farm = farmToRestore()
})
const own = (...path: string[]) => join(farm.saved.saves, name, ...path)

/** farmgate can change the group and not the owner, as every user but root. */
async function onlyRootGives(): Promise<void> {
  const file = await open('/', 'r')
  const handle = Object.getPrototypeOf(file)
  await file.close()
  const { chown } = handle
  handle.chown = function given(uid: number, gid: number) {
    return uid === process.getuid?.()
      ? Reflect.apply(chown, this, [uid, gid])
      : Promise.reject(Object.assign(new Error('EPERM'), { code: 'EPERM' }))
  }
  onTestFinished(() => {
    handle.chown = chown
  })
}

describe('files that farmgate cannot give to the user of the game', () => {
  const other = 1001 + (process.getuid?.() ?? 0)
  let folder = ''
  beforeEach(async () => {
    folder = newFolder()
    mkdirSync(join(folder, 'below'))
    writeFileSync(join(folder, 'below', 'file'), '')
    await onlyRootGives()
  })
  const settle = (gid: number, mode: number) =>
    inSharedFolder(folder, (opened) => settleFiles(opened, { uid: other, gid, mode }))
  const modeOf = (path: string) => statSync(join(folder, path)).mode & 0o777

  test('can be written by its group, if they are in that group', async () => {
    await settle(process.getgid?.() ?? 0, 0o755)
    expect([modeOf('below'), modeOf('below/file')]).toEqual([0o775, 0o664])
  })

  test('can be written by everyone, if everyone can write to the save', async () => {
    await settle(process.getgid?.() ?? 0, 0o707)
    expect([modeOf('below'), modeOf('below/file')]).toEqual([0o777, 0o666])
  })

  test('are refused if the game could not write to them', async () => {
    const isRoot = process.getuid?.() === 0
    await expect(settle(isRoot ? 0 : other, isRoot ? 0o055 : 0o755)).rejects.toMatchObject({
      name: 'NotWritable',
      uid: other,
    })
  })
})

test('a file of another folder to which the game has made a hard link keeps its owner and rights', async () => {
  const folder = newFolder()
  const [secret, link] = [join(folder, 'secret'), join(folder, 'staging', 'link')]
  mkdirSync(join(folder, 'staging'))
  writeFileSync(secret, '')
  chmodSync(secret, 0o600)
  const before = statSync(secret)
  linkSync(secret, link)
  const sibling = { uid: before.uid, gid: before.gid + 1, mode: 0o777 }
  const settled = inSharedFolder(folder, (top) => top.within('staging', (at) => settleFiles(at, sibling)))
  await expect(settled).rejects.toThrow('a file with a second name (hard link)')
  const { uid, gid, mode } = statSync(secret)
  expect([uid, gid, mode]).toEqual([before.uid, before.gid, before.mode])
})

test('a restore after which the game could not save is refused before anything is changed', async () => {
  const { id, port, close } = await farm.atDay9()
  // Root can do everything, so the save belongs to another user there.
  if (process.getuid?.() === 0) chownSync(own(), 1001, 1001)
  chmodSync(own(), 0o500)
  await onlyRootGives()
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({
    failure: {
      kind: 'restore_refused',
      sentence: expect.stringContaining('could not write to the restored save'),
    },
  })
  expect([farm.day(), readdirSync(farm.saved.saves)]).toEqual([9, [name]])
  chmodSync(own(), 0o755)
  await close()
})

describe('a restore that was killed after the game had loaded, and is undone by the next start,', () => {
  /** @returns the next start, and a game that plays day 5 */
  async function afterKill() {
    const { id, close } = await farm.atDay9()
    await close()
    await killedAfterLoad(farm.saved, id)
    return started(farm.saved, farm.log)
  }

  test('makes the game load the restored old save again', async () => {
    const next = await afterKill()
    expect((await next.game.bridge.status()).day).toBe(5)
    await eventually(() => expect(next.game.loads).toBe(1))
    expect([(await next.game.bridge.status()).day, farm.day()]).toEqual([9, 9])
    await next.close()
  })

  test('is an error while a player is connected: restart the game; the next start makes it load the save', async () => {
    const next = await afterKill()
    next.game.players = 1
    await eventually(() => expect(JSON.stringify(farm.log)).toContain('restart the game'))
    expect(next.game.loads).toBe(0)
    await next.close()
    next.game.players = 0
    const last = started(farm.saved, farm.log, { game: next.game.bridge })
    await eventually(() => expect(next.game.loads).toBe(1))
    await last.close()
  })

  test.each([
    ['plays another day than the restored save: it was restarted, or has moved on', { day: 6 }],
    ['was started after the undo', { startedAtUtc: '9999-01-01T00:00:00.000Z' }],
  ])('leaves the game alone when it %s', async (_words, changed) => {
    const next = await afterKill()
    const { status } = next.game.bridge
    next.game.bridge.status = async () => ({ ...(await status()), ...changed })
    await eventually(() => expect(readdirSync(farm.saved.saves)).toEqual([name]))
    expect([next.game.loads, farm.day()]).toEqual([0, 9])
    expect(JSON.stringify(farm.log)).not.toContain('restart the game')
    await next.close()
  })
})

describe('a backup of the current day of the game', () => {
  /** @param after maps the time in the game to the time after its load */
  async function restoreToday(before: number, after: number) {
    const { port, game, close } = await farm.atDay9()
    const { id } = await port.makeBackup()
    let timeOfDay = before
    const { status } = game.bridge
    game.bridge.status = async () => ({ ...(await status()), timeOfDay })
    game.bridge.reload = async () => {
      timeOfDay = after
      return 'World reloaded'
    }
    const answer = await port.restoreBackup(id, false).catch((error: unknown) => error)
    await close()
    return answer
  }

  test('is restored when the game is then at the morning of the day', async () => {
    expect(await restoreToday(1400, 600)).toMatchObject({ message: expect.not.stringContaining('restart') })
  })

  test('is not when the time in the game has advanced: it has loaded nothing', async () => {
    expect(await restoreToday(1400, 1410)).toMatchObject({
      failure: {
        kind: 'restore_undone',
        sentence: expect.stringMatching(/did not load the backup; .* and the game plays it/),
      },
    })
  })

  test('is restored in the morning too, and the answer says that nothing proves it', async () => {
    expect(await restoreToday(600, 600)).toMatchObject({
      message: expect.stringContaining('restart it to be sure'),
    })
  })
})

test('a reload that is refused because a player joined leaves the game with its current save, and the answer says so', async () => {
  const { id, port, game, close } = await farm.atDay9()
  game.bridge.reload = async () => {
    throw new FarmError({ kind: 'players_connected', count: 1 })
  }
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({
    failure: {
      kind: 'restore_undone',
      sentence:
        'The game did not load the backup, because a player joined; the save from before is in its place again, and the game plays it',
    },
  })
  expect([farm.day(), (await game.bridge.status()).day]).toEqual([9, 9])
  await close()
})

test('files that an archive cannot hold stay in the save after a restore', async () => {
  const { id, port, close } = await farm.atDay9()
  mkdirSync(own('below'))
  const odd = ['tab\t.txt', 'back\\slash', 'below/tab\t.txt', 'twin', 'TWIN']
  for (const name of odd) writeFileSync(own(name), name)
  await port.restoreBackup(id, false)
  expect(farm.day()).toBe(5)
  // One of the twins is in the backup from before the restore, and in no other.
  const kept = odd.filter((name) => existsSync(own(name)))
  expect(kept).toEqual(expect.arrayContaining(odd.slice(0, 3)))
  expect(kept).toHaveLength(4)
  await close()
})

test('links and dotfiles, which no backup has, stay in the save after a restore', async () => {
  const { id, port, close } = await farm.atDay9()
  mkdirSync(own('below'))
  writeFileSync(own('.notes'), 'mine')
  writeFileSync(own('below', '.notes'), 'mine too')
  symlinkSync('/nowhere', own('link'))
  await port.restoreBackup(id, false)
  expect([
    farm.day(),
    readFileSync(own('.notes'), 'utf8'),
    readFileSync(own('below', '.notes'), 'utf8'),
  ]).toEqual([5, 'mine', 'mine too'])
  expect([lstatSync(own('link')).isSymbolicLink(), readlinkSync(own('link'))]).toEqual([true, '/nowhere'])
  await close()
})
