/** What the mutation runner and its worker say to each other. */
import type { MutantCoverage } from '@stryker-mutator/api/core'

/** Name of the channel between the two. Both are threads of one process. */
export const channelName = 'mutation'

/** Runs test files in the worker, one after another. */
export interface Ask {
  /** Absolute paths. */
  readonly files: readonly string[]
  /** Ids of the tests to run; all of the files when left out. */
  readonly tests?: readonly string[]
  /** The mutant that is active; none when left out. The first test that fails then ends the run. */
  readonly mutant?: string
  /** How often the mutant may be reached before it counts as an endless loop. */
  readonly hitLimit?: number
}

/** Said by the worker when it has started, and to it when it shall end. */
export const ready = 'ready'
export const end = 'end'

export interface TestOutcome {
  readonly id: string
  readonly name: string
  readonly file: string
  readonly milliseconds: number
  /** The first error of a test that failed. */
  readonly failure?: string
}

export interface Answer {
  readonly outcomes: readonly TestOutcome[]
  readonly coverage: MutantCoverage
  /** For each test file the mutants that are reached while it is loaded. */
  readonly loaded: Readonly<Record<string, readonly string[]>>
  readonly hitCount: number
}
