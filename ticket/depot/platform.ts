/** Where the chunks of a depot lie: one content server as Steam lists it. */
export interface ContentServer {
  /** `name` or `name:port` to connect to. */
  readonly host: string
  /** The name the server expects in the `Host` header; usually the same. */
  readonly vhost: string
  readonly https: boolean
  /** Steam's own load figure; lower is better. */
  readonly load: number
}

/** The depot of an app that fits this operating system, and its public version. */
export interface DepotVersion {
  readonly appId: number
  readonly name: string
  readonly depotId: number
  /** Decimal uint64. */
  readonly manifestId: string
}

/**
 * What a download asks of Steam, and nothing more: files come from content servers, over our own
 * connections. Every method rejects with `DownloadError` (`not_owned`, `platform`).
 */
export interface Platform {
  /** The public version of the app's linux depot. */
  depotVersion(appId: number): Promise<DepotVersion>
  /** Rejects with `not_owned` when the account may not have the app. */
  checkOwned(appId: number): Promise<void>
  /** 32 bytes that decrypt the depot's chunks and file names. */
  depotKey(appId: number, depotId: number): Promise<Buffer>
  /** Decimal uint64 that a manifest's address ends with; good for about five minutes. */
  manifestRequestCode(version: DepotVersion): Promise<string>
  contentServers(appId: number): Promise<readonly ContentServer[]>
  /** Query string (with its `?`) that a server asks for with 401 or 403. A secret: never log it. */
  cdnToken(appId: number, depotId: number, host: string): Promise<string>
}
