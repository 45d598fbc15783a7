/** Signing in with one's own account: what the address says after it, and whether this browser has a session. */
import { signal } from '@preact/signals'
import { keep, kept } from './browser-storage.ts'

const path = new URL('.', location.href).pathname
/** Scripts cannot see the cookie of the session, so this says that there may be one. */
const sessionName = `farmgate.session:${path}`
const setupName = `farmgate.setup:${path}`
const invitationName = `farmgate.invitation:${path}`

export const hasSession = (): boolean => kept('device', sessionName) !== undefined
export const keepSession = (isOpen: boolean): void => keep('device', sessionName, isOpen ? 'yes' : undefined)

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
 * Why the last sign-in failed: `denied`, `expired`, `failed` or `full`; `offline`: a farm that did not answer could not
 * end the session.
 */
export const signInFailure = signal<string | undefined>(undefined)

/** Takes out of the address what sign-in and invitations put there. @returns whether there may be a new session */
export function readAddress(): boolean {
  const [, name, value = ''] = /^#(session|sign-in|invitation|setup)(?:=([\w-]+))?$/.exec(location.hash) ?? []
  if (name === undefined) return false
  history.replaceState(null, '', location.pathname + location.search)
  if (name === 'invitation') setInvitation(value)
  else if (name === 'setup') setSetup(value)
  else if (name === 'sign-in') signInFailure.value = value
  else keepSession(true)
  return name === 'session'
}

/** The address of a provider's sign-in, which leads back to this page. */
export const signInAddress = (provider: string): string =>
  `sign-in/${provider}?next=${encodeURIComponent('/#session')}`
