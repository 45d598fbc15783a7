/** Another program's change to a shared folder, at every possible moment. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const calls = [
  'open',
  'opendir',
  'lstat',
  'mkdir',
  'rename',
  'rmdir',
  'unlink',
  'access',
  'readdir',
  'rm',
  'stat',
] as const

/**
 * Calls a function before each call of `node:fs/promises` that takes a path. @param before gets the number of that
 * call, from 1, the name of the function, and the path @returns a function that stops this
 */
export function beforeEachCall(before: (count: number, name: string, path: string) => void): () => void {
  const { promises } = fs
  const whole = Object.fromEntries(calls.map((name) => [name, promises[name]]))
  let count = 0
  for (const name of calls)
    Object.assign(promises, {
      [name](...given: readonly unknown[]) {
        count += 1
        before(count, name, String(given[0]))
        return Reflect.apply(whole[name] ?? promises[name], promises, given)
      },
    })
  syncBuiltinESMExports()
  return () => {
    Object.assign(promises, whole)
    syncBuiltinESMExports()
  }
}

/** Replaces a folder with a link, as a program does that swaps the two. */
export function exchange(folder: string, target: string): void {
  if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return
  fs.renameSync(folder, `${folder}.exchanged`)
  fs.symlinkSync(target, folder)
}
