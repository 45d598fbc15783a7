import type { KeyHolder } from './key-holder.ts'
import type { Problem } from './problem.ts'

/** A call that farmgate itself makes of one of its endpoints, for the watchdog or a schedule. */
interface OwnCall {
  readonly operationId: string
  /** The query, without its `?`. */
  readonly search: string
  readonly body?: string
  readonly holder: KeyHolder
}

/** Dispatches such a call, with its row of the audit. It never rejects. */
export type OwnDispatch = (
  call: OwnCall,
) => Promise<{ readonly problem: Problem } | { readonly status: number } | { readonly stream: object }>
