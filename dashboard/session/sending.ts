/** How the page sends requests: with the secret of a session, and files with their progress where a view shows it. */
import { sessionSecret } from './person.ts'

export const sending: { file?: typeof fetch } = {}

/** The secret of a session is sent with each request; a key that is sent too counts instead. */
export const pageFetch: typeof fetch = (to, init) => {
  const secret = sessionSecret()
  const headers = { ...init?.headers, ...(secret !== undefined && { 'farmgate-session': secret }) }
  return (init?.body instanceof Blob ? (sending.file ?? fetch) : fetch)(to, { ...init, headers })
}

/** The live connection, whose headers a page cannot set. */
export class PageSocket extends WebSocket {
  constructor(url: string) {
    const secret = sessionSecret()
    super(url, secret === undefined ? [] : ['farmgate', `session.${secret}`])
  }
}
