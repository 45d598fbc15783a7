/** Tests that need what not every machine has. Where it is missing they are left out, and standard error says so. */
import { spawnSync } from 'node:child_process'

export interface Program {
  readonly name: string
  /** The option with which it only tells its version; `--version` unless given. */
  readonly version?: string
  readonly debianPackage: string
}

/** @returns whether tests can run here: when there is no problem. Otherwise says that they are left out, and why. */
export function canRun(tests: string, problem: string | undefined): boolean {
  if (problem !== undefined) process.stderr.write(`Left out: ${tests}: ${problem}\n`)
  return problem === undefined
}

/** @returns whether tests that run the program can run here. Otherwise says which package they need. */
export function isInstalled(tests: string, { name, version = '--version', debianPackage }: Program): boolean {
  const starts = spawnSync(name, [version]).status === 0
  return canRun(
    tests,
    starts ? undefined : `${name} is not installed (Debian: apt-get install ${debianPackage})`,
  )
}
