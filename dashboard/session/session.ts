/** Who looks at the page: nobody with a key, or the holder of one. */
import { signal } from '@preact/signals'
import { connect, type Farm, FarmgateError, type OwnKey, type Scope } from '../../client/index.ts'
import { forgetKey, keepKey, keptKey, takeKeyFromAddress } from './key-storage.ts'
import { type LiveFarm, openLiveFarm } from './live-farm.ts'

export interface SignedIn {
  readonly phase: 'signed-in'
  readonly farm: Farm
  readonly own: OwnKey
  readonly live: LiveFarm
}

/** `public`: without a key. `reason` is why, where it is not the person's own wish. */
export type Session =
  | { readonly phase: 'starting'; readonly trouble?: FarmgateError }
  | {
      readonly phase: 'public'
      readonly reason?: 'wrong-key' | 'ended-key'
      readonly trouble?: FarmgateError
    }
  | SignedIn

export const session = signal<Session>({ phase: 'starting' })

/** The address of the farm: that of the page, without its fragment and query. */
const url = new URL('.', location.href).href
export const publicFarm: Farm = connect({ url })

/** @returns whether the key of the session has the scope; `admin` includes the others */
export const allows = ({ own }: SignedIn, scope: Scope): boolean =>
  own.scopes.includes(scope) || own.scopes.includes('admin')

const isWrongKey = (error: unknown) => error instanceof FarmgateError && error.code === 'unauthorized'
/** Milliseconds between attempts while the farm does not answer at the start. */
const startAgain = 3_000

/** Signs in with the key of the address, else with the kept one, else without any, which a farm without a key allows. */
export async function start(): Promise<void> {
  const given = takeKeyFromAddress()
  if (given !== undefined) keepKey(given, false)
  const key = given ?? keptKey() ?? ''
  for (;;) {
    try {
      return await open(key)
    } catch (error) {
      if (isWrongKey(error)) {
        forgetKey()
        session.value = { phase: 'public', ...(key !== '' && { reason: 'wrong-key' }) }
        return
      }
      if (!(error instanceof FarmgateError)) throw error
      session.value = { phase: 'starting', trouble: error }
      await new Promise((resolve) => setTimeout(resolve, startAgain))
    }
  }
}

/** @throws {FarmgateError} unauthorized for a wrong key; whatever else stands in the way */
export async function signIn(key: string, onDevice: boolean): Promise<void> {
  await open(key)
  keepKey(key, onDevice)
}

export function signOut(reason?: 'ended-key'): void {
  if (session.value.phase === 'signed-in') session.value.live.close()
  forgetKey()
  session.value = { phase: 'public', ...(reason !== undefined && { reason }) }
}

async function open(key: string): Promise<void> {
  const farm = connect({ url, key })
  // Asked once over HTTP, so that the farm is shown before the live connection is open.
  const first = farm.status().catch(() => undefined)
  const own = await farm.ownKey()
  const live = openLiveFarm(farm, own.scopes, first, () => signOut('ended-key'))
  session.value = { phase: 'signed-in', farm, own, live }
}

/** A call that was refused with 401 ends the session: the key was revoked or has expired. */
export function noteRefusal(error: unknown): void {
  if (isWrongKey(error) && session.value.phase === 'signed-in') signOut('ended-key')
}
