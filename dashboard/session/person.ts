/** Signing in with one's own account: what the address says after it, and whether this browser has a session. */
import { signal } from '@preact/signals'
import { keep, kept } from './browser-storage.ts'

const path = new URL('.', location.href).pathname
/**
 * The secret of the session, which counts only together with its cookie: the cookie reaches every port of this host, and
 * this storage is of this origin alone. Scripts cannot see the cookie, so this also says that there may be a session.
 */
const sessionName = `farmgate.session:${path}`
const setupName = `farmgate.setup:${path}`
const invitationName = `farmgate.invitation:${path}`

export const sessionSecret = (): string | undefined => kept('device', sessionName)
export const keepSession = (secret: string | undefined): void => keep('device', sessionName, secret)

/**
 * Marks the sign-ins that began on this page: the code of any other is not taken. Otherwise a link with a code of theirs
 * would sign someone in as another person, who gets whatever they then accept.
 */
const beginName = `farmgate.sign-in:${path}`

/** The code of the invitation that was opened; kept while the person signs in. */
export const invitation = signal(kept('tab', invitationName))

export function setInvitation(code: string | undefined): void {
  invitation.value = code
  keep('tab', invitationName, code)
}

/** The code of the set-up in the browser, kept until the set-up is complete; `done` once the game is installed. */
export const setup = signal(kept('tab', setupName))

export function setSetup(code: string | undefined): void {
  setup.value = code
  keep('tab', setupName, code)
}

/**
 * Why the last sign-in failed: `denied`, `expired`, `failed` or `full`; `foreign`: it did not begin here; `offline`: a farm that did not answer could not
 * end the session.
 */
export const signInFailure = signal<string | undefined>(undefined)

/** Takes out of the address what sign-in and invitations put there. @returns the code of a new session */
export function readAddress(): string | undefined {
  const [, name, value = '', mark] =
    /^#(session|sign-in|invitation|setup)(?:=([\w-]+)(?:\.(\w+))?)?$/.exec(location.hash) ?? []
  if (name === undefined) return undefined
  history.replaceState(null, '', location.pathname + location.search)
  if (name === 'invitation') setInvitation(value)
  else if (name === 'setup') setSetup(value)
  else if (name === 'sign-in') signInFailure.value = value
  else {
    if (mark !== undefined && mark === kept('device', beginName)) {
      keep('device', beginName, undefined)
      return value
    }
    if (sessionSecret() === undefined) signInFailure.value = 'foreign'
  }
  return undefined
}

/** The address of a provider's sign-in, which leads back to this page. */
export function signInAddress(provider: string): string {
  const random = crypto.getRandomValues(new Uint32Array(4))
  const mark = kept('device', beginName) ?? [...random].map((one) => one.toString(36)).join('')
  keep('device', beginName, mark)
  return `sign-in/${provider}?next=${encodeURIComponent(`/#${mark}`)}`
}
