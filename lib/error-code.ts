/** @returns the `code` of an error of the system or of Node, such as `ENOENT`; undefined for anything without one */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
