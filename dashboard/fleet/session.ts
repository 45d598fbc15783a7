/** Who uses the page of the fleet: someone without a key, or the holder of the fleet key. */
import { signal } from '@preact/signals'
import { connectFleet, type Fleet } from '../../client/fleet.ts'
import { connection, tryKey } from '../session/connection.ts'
import { forgetKey, keepKey, keptKey } from '../session/key-storage.ts'

interface Session {
  /** Undefined while no one is signed in. */
  readonly fleet?: Fleet
  /** Why the stored key is not used; it stays in the browser until the user signs out. */
  readonly refused?: 'ended-key'
}

export const session = signal<Session>({})

/** Where the edge begins: the page is at `fleet/` below it. */
const url = new URL('..', location.href).href

/** Signs in with the stored key, where there is one; its first request shows whether it is still accepted. */
export async function openKept(): Promise<void> {
  const key = keptKey()
  if (key !== undefined) open(connectFleet({ url, key }))
}

/** @throws {FarmgateError} wrong-key; any other failure */
export async function signIn(key: string, onDevice: boolean): Promise<void> {
  const fleet = connectFleet({ url, key })
  await tryKey(() => fleet.farms())
  keepKey(key, onDevice)
  open(fleet)
}

export function signOut(): void {
  forgetKey()
  close({})
}

function open(fleet: Fleet): void {
  connection.value = { refused: () => close({ refused: 'ended-key' }) }
  session.value = { fleet }
}

function close(next: Session): void {
  connection.value = undefined
  session.value = next
}
