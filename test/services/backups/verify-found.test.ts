/** Archives of farmgate that the index does not have. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { damage } from '../../backups/damaged-backup.ts'
import { savedFarm } from '../../backups/saved-farm.ts'
import type { LogLine } from '../../logs.ts'
import { eventually } from '../../wait.ts'
import { atDay9, started } from './loading-game.ts'

test('after the index was lost the archives are verified again at the next start, and a damaged one is reported', async () => {
  const saved = savedFarm()
  onTestFinished(saved.remove)
  const { id: damaged, port, close } = await atDay9(saved)
  const { id: whole } = await port.makeBackup()
  await close()
  rmSync(join(saved.folder, 'index.json'))
  damage(saved.folder, damaged)
  const log: LogLine[] = []
  const next = started(saved, log)
  await eventually(async () => {
    const { backups, state } = await next.port.backups()
    expect(backups.map(({ id, verifiedAt }) => [id, verifiedAt !== undefined])).toEqual([
      [whole, true],
      [damaged, false],
    ])
    expect(state.lastVerifiedAt).toBeDefined()
    expect(log.filter(({ level }) => level === 'warn')).toMatchObject([
      { message: 'a backup is damaged: it cannot be restored', fields: { id: damaged } },
    ])
  })
  await next.close()
})
