import { createRequire } from 'node:module'
import type { LoginSession } from 'steam-session'
import type SteamUser from 'steam-user'
import { type PlatformMessages, platformMessages } from './steam-messages.ts'

/**
 * The methods of a logged-on steam-user client that a download calls. Most of them are missing from
 * `@types/steam-user`, so every answer is checked (depot/steam-platform.ts).
 */
export interface DepotClient {
  getProductInfo(apps: number[], packages: number[], inclTokens: boolean): Promise<unknown>
  getAppOwnershipTicket(appId: number): Promise<unknown>
  getDepotDecryptionKey(appId: number, depotId: number): Promise<unknown>
  getManifestRequestCode(appId: number, depotId: number, manifestId: string, branch: string): Promise<unknown>
  getContentServers(): Promise<unknown>
  getCDNAuthToken(appId: number, depotId: number, host: string): Promise<unknown>
}

/**
 * The client of steam-user, with corrections to `@types/steam-user`. Members that begin with an underscore are not
 * public, so steam-user is pinned to 5.3.0 and a test on the wire covers each of them.
 */
export type PlatformClient = Omit<SteamUser, 'createEncryptedAppTicket' | keyof DepotClient> &
  DepotClient & {
    /** `@types/steam-user` is wrong about the result and the parameters. Rejects after 10 s without an answer. */
    createEncryptedAppTicket(appId: number): Promise<{ encryptedAppTicket: Buffer }>
    /** Sends a message that the library has no method for. Without `proto` the wrong kind of header is used. */
    _send(
      header: { msg: number; proto: { routing_appid?: number; target_job_name?: string } },
      body: Uint8Array,
      reply?: (body: { toBuffer(): Buffer }, header: { proto?: { eresult?: number } }) => void,
    ): void
    /** The sign-in session that sends over this client's socket. Steam renews a token only over that socket. */
    _getLoginSession(): LoginSession
  }

/** The parts of steam-user that the service uses. */
export interface PlatformLibrary {
  createClient(options: SteamUser.Options): PlatformClient
  readonly messages: PlatformMessages
  readonly messageNumbers: Readonly<Record<string, number>>
  /** @returns the name of a result, such as `AccessDenied` for 15. */
  resultName(result: number): string
}

let loaded: PlatformLibrary | undefined

/** Loads steam-user once. Loading takes a third of a second or more and about 60 MB, so no other file imports it. */
export function loadPlatformLibrary(): PlatformLibrary {
  if (loaded) return loaded
  const require = createRequire(import.meta.url)
  const messages = platformMessages()
  const Client: typeof SteamUser = require('steam-user')
  const messageNumbers: Record<string, number> = require('steam-user/enums/EMsg.js')
  const results: Record<string, unknown> = require('steam-user/enums/EResult.js')
  loaded = {
    // `@types/steam-user` is wrong about the client; PlatformClient is the corrected type.
    createClient: (options) => new Client(options) as unknown as PlatformClient,
    messages,
    messageNumbers,
    resultName: (result) => (typeof results[result] === 'string' ? results[result] : `result ${result}`),
  }
  return loaded
}
