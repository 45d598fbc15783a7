/** A content server as Steam lists it. */
export interface ContentServer {
  /** `name` or `name:port` to connect to. */
  readonly host: string
  /** The name the server expects in the `Host` header; usually the same. */
  readonly vhost: string
  /** Whether it serves HTTPS: only, also, or not at all. */
  readonly https: 'mandatory' | 'optional' | 'none'
  /** The weighted load that Steam reports; lower is better. */
  readonly load: number
}

/** The Linux depot of an app, and its public version. */
export interface DepotVersion {
  readonly appId: number
  readonly name: string
  readonly depotId: number
  /** Decimal uint64. */
  readonly manifestId: string
}

/**
 * The requests of a download to Steam. Manifests and chunks come from content servers (cdn/). The methods reject with
 * `DownloadError` (`not_owned`, `platform`).
 */
export interface Platform {
  /** The public version of the app's linux depot. */
  depotVersion(appId: number): Promise<DepotVersion>
  /**
   * @throws DownloadError `not_owned` when the account does not own the app. Resolves after any other error: the request
   * for the depot key decides.
   */
  rejectIfNotOwned(appId: number): Promise<void>
  /** 32 bytes that decrypt the depot's chunks and file names. */
  depotKey(appId: number, depotId: number): Promise<Buffer>
  /** Decimal uint64 that ends the address of a manifest; valid for about five minutes. */
  manifestRequestCode(version: DepotVersion): Promise<string>
  contentServers(appId: number): Promise<readonly ContentServer[]>
  /** Query string, with its `?`, for a server that answers 401 or 403. It is a secret: do not log it. */
  cdnToken(appId: number, depotId: number, host: string): Promise<string>
}
