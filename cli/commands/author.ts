import { userInfo } from 'node:os'

/** @returns the given name, or that of the user who is logged in here */
export function authorOf(given: string | undefined): string {
  if (given !== undefined) return given
  try {
    return userInfo().username
  } catch {
    // A container may run under a user id that has no name.
    return 'farmgate'
  }
}
