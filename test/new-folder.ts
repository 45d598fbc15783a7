/** Folders below the machine's folder for temporary files. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

function made(): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'farmgate-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** It is removed after the test. */
export function newFolder(): string {
  const { folder, remove } = made()
  onTestFinished(remove)
  return folder
}

/** It is removed after all tests of the file or of the `describe`. */
export function sharedFolder(): string {
  const { folder, remove } = made()
  afterAll(remove)
  return folder
}

/** As `newFolder`, on another file system. */
export function folderOnOtherDisk(): string {
  const folder = mkdtempSync('/dev/shm/farmgate-')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
