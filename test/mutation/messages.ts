/** The messages between the mutation runner and its worker. */
import type { MutantCoverage } from '@stryker-mutator/api/core'

/** Name of the channel between the two. Both are threads of one process. */
export const channelName = 'mutation'

interface TestFile {
  /** Absolute. */
  readonly path: string
  /** Milliseconds after which a waiting test counts as failed, and ten seconds earlier than a hook. */
  readonly timeLimit: number
}

/** Runs test files in the worker, one after another. */
export interface Ask {
  readonly files: readonly TestFile[]
  /** Ids of the tests to run; all of the files when omitted. */
  readonly tests?: readonly string[]
  /** The active mutant; none when omitted. The first failing test then ends the run. */
  readonly mutant?: string
  /** How often the mutant can be reached before it counts as an endless loop. */
  readonly hitLimit?: number
}

/** Sent by the worker when it has started, and to it when it must end. */
export const ready = 'ready'
export const end = 'end'

export interface TestOutcome {
  readonly id: string
  readonly name: string
  readonly file: string
  readonly milliseconds: number
  /** The first error of a failed test. */
  readonly failure?: string
}

export interface Answer {
  readonly outcomes: readonly TestOutcome[]
  readonly coverage: MutantCoverage
  /** For each test file the mutants that are reached while it is loaded, by its hooks or by its tests. */
  readonly reached: Readonly<Record<string, readonly string[]>>
  readonly hitCount: number
}
