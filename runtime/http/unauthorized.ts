/** The three sentences of 401: no key was sent, it was sent without `Bearer`, or it is not accepted. */
import { Problem } from '../../handlers/problem.ts'

/** The name of the required key in a 401. */
type AskedKey = '<api-key>' | '<fleet-key>' | '<link-key>'

/** A key was sent correctly, and is wrong, or was revoked, or has expired. */
export const keyNotAccepted = (): Problem =>
  new Problem(
    'unauthorized',
    'Unauthorized. This key is not accepted: it is wrong, was revoked or has expired; compare it with the key of this server',
  )

/**
 * Why a request has no key.
 * @param authorization its header; undefined where it was not sent
 */
export const noKeyFound = (authorization: string | undefined, key: AskedKey = '<api-key>'): Problem =>
  new Problem(
    'unauthorized',
    /^\s*(bearer\s*)?$/i.test(authorization ?? '')
      ? `Unauthorized. No key was sent: send the header Authorization: Bearer ${key}`
      : `Unauthorized. The Authorization header must be Bearer ${key}, sent once: write Bearer and a space before the key`,
  )
