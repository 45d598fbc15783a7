/** A file system that turns read-only, or becomes full, under the open database. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { canRun } from '../../left-out.ts'
import { newFolder } from '../../new-folder.ts'

const child = fileURLToPath(new URL('read-only-disk-child.ts', import.meta.url))

/** Runs a shell with its own file system at `$mount`, which ends with it. */
const inMount = (folder: string, script: string): readonly [string, string[]] => {
  const image = join(folder, 'image')
  writeFileSync(image, '')
  truncateSync(image, 32 * 1024 ** 2)
  const mounted = `mount=${folder}/mount; mkfs.ext4 -q -b 4096 ${image} && mkdir -p $mount && mount -o loop ${image} $mount`
  return ['unshare', ['--mount', 'sh', '-c', `${mounted} && ${script}`]]
}

function problem(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'farmgate-mount-'))
  const [command, args] = inMount(folder, 'mount -o remount,abort $mount')
  const { status } = spawnSync(command, args)
  rmSync(folder, { recursive: true })
  return status === 0 ? undefined : 'no loop device can be mounted here (needs root)'
}

/** Runs the child in such a mount. */
async function outcome(what: 'read-only' | 'full'): Promise<Record<string, unknown>> {
  const [command, args] = inMount(newFolder(), `${process.execPath} ${child} $mount ${what}`)
  const { stdout } = await promisify(execFile)(command, args)
  return JSON.parse(stdout)
}

const lost = 'records that were in memory could not be written to the disk before the end'

describe.runIf(canRun('records on a read-only and on a full file system', problem()))(
  'an open database, on a file system',
  () => {
    test('that turns read-only: a revocation holds, is answered as stored in memory, and the end logs what is lost', async () => {
      const failed = { state: 'failed', trouble: expect.any(String), cause: expect.any(String) }
      expect(await outcome('read-only')).toEqual({
        revoked: 'memory',
        keys: ['def'],
        changes: [{ state: 'ok' }, failed],
        notes: [lost],
      })
    })

    test('without a free byte: a revocation is written into its reserved room', async () => {
      const { revoked, keys, changes } = await outcome('full')
      expect([revoked, keys]).toEqual([true, ['def']])
      expect(changes).toContainEqual(expect.objectContaining({ trouble: 'full' }))
    })
  },
)
