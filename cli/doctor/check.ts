/** One line of `farmgate doctor`. */
export interface Check {
  /** What was checked. */
  readonly check: string
  readonly state: 'ok' | 'warning' | 'broken'
  readonly found: string
  /** How to fix it. */
  readonly fix?: string
}

/** What a part of the doctor finds. */
export type Checks = Check | Check[]

export const ok = (check: string, found: string): Check => ({ check, state: 'ok', found })
/** Milliseconds that an answer may take. */
const slow = 2000

/** What answers, and whether it does so in time. */
export const answered = (check: string, found: string, milliseconds: number): Check =>
  milliseconds > slow
    ? warning(check, found, 'It is slow: look for load on its machine, and at the network.')
    : ok(check, found)

export const warning = (check: string, found: string, fix: string): Check => ({
  check,
  state: 'warning',
  found,
  fix,
})
export const broken = (check: string, found: string, fix: string): Check => ({
  check,
  state: 'broken',
  found,
  fix,
})
