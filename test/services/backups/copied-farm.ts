/** Farms whose backups are copied to an S3 server of this test file. */
import { afterAll, onTestFinished } from 'vitest'
import type { CopyPlace } from '../../../services/backups/copies.ts'
import { CopyError, type CopyStore } from '../../../services/backups/copy-store.ts'
import type { BackupParts, OpenBackups } from '../../../services/backups/open-backups.ts'
import { s3Store } from '../../../services/backups/s3-store.ts'
import { backupsOf, savedFarm } from '../../backups/saved-farm.ts'
import { type LogLine, recorder } from '../../logs.ts'
import { type S3Server, s3Key, startS3Server } from '../../s3-server.ts'
import { game } from './clover.ts'

/** An S3 server of this test file. @returns makes a farm with a save, and its own place for copies */
export async function copiedFarms() {
  const server = await startS3Server()
  afterAll(() => server.stop())
  let farms = 0
  return () => {
    farms += 1
    return aFarm(server, `farm${farms}`)
  }
}

function aFarm(server: S3Server, prefix: string) {
  const saved = savedFarm()
  saved.save()
  const store = s3Store({ url: `${server.url}/${prefix}`, ...s3Key }, { now: Date.now })
  const lines: LogLine[] = []
  const place = { store, passphrase: undefined, place: '127.0.0.1:9000' }
  const closed: (() => Promise<void>)[] = []
  onTestFinished(async () => {
    for (const close of closed) await close()
    saved.remove()
  })
  return {
    saved,
    lines,
    place,
    objects: () => [...server.objects(prefix)].sort(),
    object: (name: string) => server.object(prefix, name),
    /** Starts what a process does with its backups. */
    open(offsite: CopyPlace | undefined = place, more: Partial<BackupParts> = {}): OpenBackups {
      const backups = backupsOf(saved, game, { offsite, log: recorder(lines), ...more })
      closed.push(backups.close)
      return backups
    },
  }
}

export const states = async ({ port }: OpenBackups) =>
  (await port.backups()).backups.map((one) => one.offsite)
export const namesOf = async ({ port }: OpenBackups, end = '.zip') =>
  (await port.backups()).backups.map(({ id }) => id + end).sort()

/** Storage that can be offline, and counts the attempts to store. */
export function unreliable(store: CopyStore) {
  const state = { cause: 'connection refused', isOffline: true, asked: 0 }
  const unlessOffline = () => {
    if (state.isOffline) throw new CopyError(state.cause)
  }
  return {
    state,
    store: {
      ...store,
      async write(...call) {
        state.asked += 1
        unlessOffline()
        await store.write(...call)
      },
      async remove(...call) {
        unlessOffline()
        await store.remove(...call)
      },
    } satisfies CopyStore,
  }
}
