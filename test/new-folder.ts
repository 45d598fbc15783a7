/** Folders below the machine's folder for temporary files. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

/** On another file system than temporary files, in memory, where nothing waits for a disk, if the machine has that. */
export const inMemory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

function made(parent = tmpdir()): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(parent, 'farmgate-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }) }
}

/** It is removed after the test. */
export function newFolder(parent?: string): string {
  const { folder, remove } = made(parent)
  onTestFinished(remove)
  return folder
}

/** It is removed after all tests of the file or of the `describe`. */
export function sharedFolder(): string {
  const { folder, remove } = made()
  afterAll(remove)
  return folder
}
