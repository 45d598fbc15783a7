/** Runs the doctor, and reads its findings. */
import { expect } from 'vitest'
import { run, type Variables } from './farmgate.ts'

/** A check that is not ✔, with its fix. */
export type Reported = readonly [check: string, state: 'warning' | 'broken', found: RegExp, fix: string]

/** An address without a server. */
export const unusedUrl = 'http://127.0.0.1:2'
/** A key that is not easy to guess. */
export const strong = 'c29tZXRoaW5nIHRoYXQgaXMgMzIgYnl0ZXM='

export const asCheck = ([check, state, found, fix]: Reported) => ({
  check,
  state,
  found: expect.stringMatching(found),
  fix,
})

interface Check {
  readonly check: string
  readonly state: string
  readonly found: string
  readonly fix?: string
}

/** The checks of one run that are not ✔. */
export const faults = (stdout = ''): readonly Check[] => read(stdout).filter(({ state }) => state !== 'ok')

const read = (stdout: string): readonly Check[] => JSON.parse(stdout)

export async function doctor(variables: Variables) {
  const { code, stdout } = await run(['doctor', '--json', '--patience', '1'], variables)
  const checks = read(stdout)
  return {
    code,
    checks,
    faults: faults(stdout),
    of: (name: string) => checks.filter(({ check }) => check === name),
  }
}
