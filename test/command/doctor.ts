/** Runs the doctor, and reads what it found. */
import { expect } from 'vitest'
import { run, type Variables } from './farmgate.ts'

/** A check that is not ✔, with the words of its mend. */
export type Told = readonly [check: string, state: 'warning' | 'broken', found: RegExp, mend: string]

export const strong = 'c29tZXRoaW5nIHRoYXQgaXMgMzIgYnl0ZXM='

export const asCheck = ([check, state, found, mend]: Told) => ({
  check,
  state,
  found: expect.stringMatching(found),
  mend,
})

/** The checks of one run that are not ✔. */
export const faults = (stdout = ''): unknown[] =>
  JSON.parse(stdout).filter(({ state }: { state: string }) => state !== 'ok')
export const doctor = async (variables: Variables) => {
  const { code, stdout } = await run(['doctor', '--json', '--patience', '1'], variables)
  return { code, faults: faults(stdout) }
}
