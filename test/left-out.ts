/** Tests that need more than every machine has. Without it they are skipped, and standard error says so. */
import { spawnSync } from 'node:child_process'

export interface Program {
  readonly name: string
  /** The option that only prints the version; `--version` unless given. */
  readonly version?: string
  readonly debianPackage: string
}

/** @returns whether tests can run here: when there is no problem. Otherwise prints that they are skipped, and why. */
export function canRun(tests: string, problem: string | undefined): boolean {
  if (problem !== undefined) process.stderr.write(`Left out: ${tests}: ${problem}\n`)
  return problem === undefined
}

/** @returns whether tests that run the program can run here. Otherwise prints which package they need. */
export function isInstalled(tests: string, { name, version = '--version', debianPackage }: Program): boolean {
  const starts = spawnSync(name, [version]).status === 0
  return canRun(
    tests,
    starts ? undefined : `${name} is not installed (Debian: apt-get install ${debianPackage})`,
  )
}
