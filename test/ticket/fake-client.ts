import { EventEmitter } from 'node:events'
import type { PlatformClient } from '../../ticket/steam-user.ts'
import { steamId } from './fake-platform.ts'

interface FakeParts {
  /** The account while logged on, else null. */
  steamID: { getSteamID64(): string } | null
  cellID: number
  /** The options of its logon. */
  readonly logons: { readonly refreshToken: string; readonly logonID: number }[]
  logOn(details: { refreshToken: string; logonID: number }): void
  logOffs: number
  logOff(): void
  createEncryptedAppTicket(appId: number): Promise<{ encryptedAppTicket: Buffer }>
  _send(
    header: { msg: number; proto: { routing_appid?: number } },
    body: Uint8Array,
    reply?: (body: { toBuffer(): Buffer }) => void,
  ): void
  _getLoginSession(): { refreshToken: string; renewRefreshToken(): Promise<boolean> }
}

export type FakeClient = EventEmitter & FakeParts

/** A client of the Steam library that is logged on, as a plain emitter whose members a test replaces. */
export function fakeClient(): FakeClient {
  const parts: FakeParts = {
    steamID: { getSteamID64: () => steamId },
    cellID: 7,
    logons: [],
    logOn: (details) => void parts.logons.push(details),
    logOffs: 0,
    logOff() {
      client.logOffs += 1
    },
    createEncryptedAppTicket: () => Promise.reject(new Error('not set')),
    _send: () => undefined,
    _getLoginSession: () => ({ refreshToken: '', renewRefreshToken: async () => false }),
  }
  const client = Object.assign(new EventEmitter(), parts)
  return client
}

/** The same as the type that the service uses, which has far more members. */
export const asClient = (client: object) => client as unknown as PlatformClient
