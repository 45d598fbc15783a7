/** Restores and imports exclude each other, over all processes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { importSave } from '../../../services/saves/import-save.ts'
import { whileLocked } from '../../../services/saves/lock-saves.ts'
import { farmToRestore } from '../backups/farm-to-restore.ts'
import { name, started } from '../backups/loading-game.ts'

const sentence =
  'Another process has locked the folder Saves, as a restore and an import do: try again when it has ended'

let farm: ReturnType<typeof farmToRestore>
beforeEach(() => {
  farm = farmToRestore()
})

/** A save outside of `Saves`. */
function another(): string {
  const { saves, save } = farm.saved
  save({}, 'Daisy_1')
  const folder = join(saves, '..', '..', 'another')
  renameSync(join(saves, 'Daisy_1'), folder)
  return folder
}

/** Another program locks the operator's folder, as a game can. @returns a function that ends it */
async function locked(): Promise<() => Promise<void>> {
  const program = spawn('flock', [farm.saved.savesDir, 'sh', '-c', 'echo held; read stop'])
  const exited = once(program, 'exit')
  const end = async () => {
    program.stdin.end()
    await exited
  }
  onTestFinished(end)
  await once(program.stdout, 'data')
  return end
}

test('during a restore an import is refused and leaves nothing behind, and a start leaves the restore alone', async () => {
  const { id, port, game, close } = await farm.atDay9()
  const { reload } = game.bridge
  const [loading, loaded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  game.bridge.reload = async () => {
    loading.resolve()
    await loaded.promise
    return reload()
  }
  const restored = port.restoreBackup(id, false)
  await loading.promise
  const request = { from: another(), savesDir: farm.saved.savesDir }
  await expect(importSave(request, Date.now())).rejects.toThrow(`${sentence}.`)
  const next = started(farm.saved, farm.log)
  await next.port.restoreBackup(id, true)
  await next.close()
  expect(farm.log).toContainEqual(
    expect.objectContaining({ level: 'warn', message: 'a restore that was interrupted is not looked for' }),
  )
  loaded.resolve()
  expect((await restored)?.message).toContain('is restored')
  expect([farm.day(), readdirSync(farm.saved.saves)]).toEqual([5, [name]])
  expect((await importSave(request, Date.now())).save).toBe('Daisy_1')
  await close()
})

test.each([
  ['another folder', (from: string, to: string) => cpSync(from, to, { recursive: true })],
  ['a link to it', (from: string, to: string) => symlinkSync(from, to)],
])(
  'while the game has put %s in place of Saves, a restore still excludes other changes',
  async (_what, put) => {
    const { saves, savesDir } = farm.saved
    const { id, port, game, close } = await farm.atDay9()
    const [loading, loaded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    game.bridge.reload = async () => {
      loading.resolve()
      await loaded.promise
      return 'World reloaded'
    }
    const restored = port.restoreBackup(id, false)
    await loading.promise
    renameSync(saves, `${saves}.moved`)
    put(`${saves}.moved`, saves)
    await expect(whileLocked(savesDir, async () => 'changed')).rejects.toThrow(sentence)
    loaded.resolve()
    await restored.catch(() => undefined)
    expect(await whileLocked(savesDir, async () => 'changed')).toBe('changed')
    await close()
  },
)

test('of two simultaneous imports one is refused', async () => {
  const request = { from: another(), savesDir: farm.saved.savesDir }
  const ends = await Promise.allSettled([importSave(request, Date.now()), importSave(request, Date.now())])
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { message: `${sentence}.` },
  })
  expect(readdirSync(farm.saved.saves)).toEqual(['Daisy_1'])
})

test('while another program holds the lock nothing is restored, and backups are made', async () => {
  const { id, port, close } = await farm.atDay9()
  const end = await locked()
  await expect(port.restoreBackup(id, false)).rejects.toMatchObject({
    failure: { kind: 'restore_refused', sentence: `${sentence}; nothing was changed` },
  })
  expect((await port.restoreBackup(id, true))?.message).toContain('would be restored')
  expect((await port.makeBackup()).created).toBe(true)
  await end()
  expect((await port.restoreBackup(id, false))?.message).toContain('is restored')
  await close()
})
