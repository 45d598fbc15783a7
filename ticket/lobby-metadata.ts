/** The game server's request for a lobby. */
export interface LobbyRequest {
  /** The game server's own 64-bit id on the relay network. */
  readonly gameServerId: bigint
  readonly protocolVersion: string
  readonly maxMembers: number
}

type Metadata = Readonly<Record<string, string>>

/** Largest metadata of a lobby: the UTF-8 bytes of all keys and values. Every change sends all of it to Steam. */
export const maxMetadataBytes = 32_768

/** The metadata of a lobby would have more than `maxMetadataBytes`. Nothing was changed. */
export class MetadataTooLarge extends Error {}

/** With address and port 0, clients connect by the game server id over the relay network. */
export function baseMetadata({ gameServerId, protocolVersion }: LobbyRequest): Metadata {
  return {
    protocolVersion,
    __gameserverIP: '0',
    __gameserverPort: '0',
    __gameserverSteamID: String(gameServerId),
  }
}

/** @returns the metadata with these keys added or replaced. @throws MetadataTooLarge */
export function mergeMetadata(kept: Metadata | undefined, change: Metadata): Metadata {
  const merged = { ...kept, ...change }
  let bytes = 0
  for (const [key, value] of Object.entries(merged))
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value)
  if (bytes > maxMetadataBytes) throw new MetadataTooLarge()
  return merged
}
