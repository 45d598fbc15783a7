/** Why one request brought nothing. */
export type FetchProblem =
  | { readonly kind: 'status'; readonly status: number }
  /** No connection: name not found, refused, unreachable, bad certificate. */
  | { readonly kind: 'unreachable' }
  /** Nothing came for a while, or it came far slower than from others. */
  | { readonly kind: 'stalled' }
  /** The connection ended in the middle, or what came is not the response it should be. */
  | { readonly kind: 'cut' }

/** Names the problem only: the address may carry a token. */
export class FetchError extends Error {
  readonly problem: FetchProblem

  constructor(problem: FetchProblem) {
    super(problem.kind === 'status' ? `status ${problem.status}` : problem.kind)
    this.name = 'FetchError'
    this.problem = problem
  }
}
