/** The scripts of a stack under the shells that are here, with a stand-in for `docker`. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { isInstalled } from '../left-out.ts'
import { newFolder } from '../new-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** It reads the empty standard input then, and has no option that prints its version. */
export const dash = { name: 'dash', version: '-V', debianPackage: 'dash', words: ['dash'] }
const programs = [
  dash,
  { name: 'busybox', version: '--help', debianPackage: 'busybox', words: ['busybox', 'ash'] },
]
export const shells = programs.filter((program) => isInstalled(`the scripts under ${program.name}`, program))

interface Run {
  readonly shell: readonly string[]
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** What comes in over a pipe. */
  readonly input?: string
}

/** Runs a shell with arguments, in an environment with few programs. */
export function run(
  { shell: [program = '', ...before], cwd, env = {}, input }: Run,
  ...args: readonly string[]
) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(
      program,
      [...before, ...args],
      { cwd, env: { PATH: process.env['PATH'], HOME: cwd, ...env } },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
    child.stdin?.end(input ?? '')
  })
}

/** A `docker` that notes its arguments in the file `calls` and does what a script says. @returns a PATH with it first */
export function dockerOf(cwd: string, script: string): Readonly<Record<string, string>> {
  const bin = join(cwd, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'docker'), `#!/bin/sh\necho "$*" >>'${cwd}/calls'\n${script}\n`, { mode: 0o755 })
  return { PATH: [bin, process.env['PATH']].join(delimiter) }
}
export const callsOf = (cwd: string) =>
  existsSync(join(cwd, 'calls')) ? readFileSync(join(cwd, 'calls'), 'utf8').trim().split('\n') : []

/**
 * A folder that install.sh has made.
 * @param words that start the shell
 * @param script of the stand-in
 */
export async function installedStack(words: readonly string[], script = '') {
  const cwd = newFolder()
  expect((await run({ shell: ['sh'], cwd }, join(root, 'deploy/install.sh'), '--from', root, '.')).code).toBe(
    0,
  )
  const env = dockerOf(cwd, script)
  const farmgate = (more: Readonly<Record<string, string>>, ...args: readonly string[]) =>
    run({ shell: words, cwd, env: { ...env, ...more } }, join(cwd, 'farmgate'), ...args)
  return { cwd, env, farmgate }
}
