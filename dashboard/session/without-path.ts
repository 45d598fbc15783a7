import { FarmgateError } from '../../client/index.ts'

/** A farm without the path: it is not set up, or of an earlier release; 501 of an earlier farm that is linked to an edge. */
export const isWithoutPath = (error: unknown): boolean =>
  error instanceof FarmgateError && ['unsupported', 'not_found'].includes(error.code)
