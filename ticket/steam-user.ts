import { createRequire } from 'node:module'
import type { LoginSession } from 'steam-session'
import type SteamUser from 'steam-user'

/**
 * What a download uses of a logged-on steam-user client. Most of it is missing from `@types/steam-user`, so
 * every answer is checked (depot/steam-platform.ts).
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
 * Steam library's client, with what `@types/steam-user` gets wrong or lacks. Members that begin with an
 * underscore are not public: steam-user 5.3.0 is pinned for their sake, and each is proven by a test on the wire.
 */
export type PlatformClient = Omit<SteamUser, 'createEncryptedAppTicket' | keyof DepotClient> &
  DepotClient & {
    /** The types say `Promise<Buffer>` and want user data; neither is so. Rejects after 10 s of silence. */
    createEncryptedAppTicket(appId: number): Promise<{ encryptedAppTicket: Buffer }>
    /** Sends a message that the library has no method for. Without `proto` the wrong kind of header is used. */
    _send(
      header: { msg: number; proto: { routing_appid?: number; target_job_name?: string } },
      body: Uint8Array,
      reply?: (body: { toBuffer(): Buffer }, header: { proto?: { eresult?: number } }) => void,
    ): void
    /** The sign-in session that speaks through this client's own socket: only there can a token be renewed. */
    _getLoginSession(): LoginSession
  }

/** One message type of Steam. 64-bit fields go in as decimal strings and come out so with `longs: String`. */
interface PlatformMessage {
  encode(message: object): { finish(): Uint8Array }
  decode(bytes: Uint8Array): object
  toObject(message: object, options: { longs: StringConstructor }): Record<string, unknown>
}

/** What we use of the library. */
export interface PlatformLibrary {
  createClient(options: SteamUser.Options): PlatformClient
  readonly messages: Readonly<Record<string, PlatformMessage>>
  readonly messageNumbers: Readonly<Record<string, number>>
  /** @returns the name of a result, such as `AccessDenied` for 15. */
  resultName(result: number): string
}

let loaded: PlatformLibrary | undefined

/** Loads the library, once: it takes half a second or more and about 100 MB, so nothing else may import it. */
export function loadPlatformLibrary(): PlatformLibrary {
  if (loaded) return loaded
  const require = createRequire(import.meta.url)
  const Client: typeof SteamUser = require('steam-user')
  const messages: Record<string, PlatformMessage> = require('steam-user/protobufs/generated/_load.js')
  const messageNumbers: Record<string, number> = require('steam-user/enums/EMsg.js')
  const results: Record<string, unknown> = require('steam-user/enums/EResult.js')
  loaded = {
    // The one place where the library's own types are overruled, see PlatformClient.
    createClient: (options) => new Client(options) as unknown as PlatformClient,
    messages,
    messageNumbers,
    resultName: (result) => (typeof results[result] === 'string' ? results[result] : `result ${result}`),
  }
  return loaded
}
