import type { Socket } from 'node:net'

/**
 * The connections on which no request had the key, in the order of their last request.
 * @param isBusy whether a request on a connection is under way
 */
export function connectionsWithoutKey(isBusy: (socket: Socket) => boolean) {
  /** The address of each; first the one whose last request is longest ago: a map keeps the order of insertion. */
  const addresses = new Map<Socket, string>()
  const perAddress = new Map<string, number>()
  return {
    add(socket: Socket, address: string): void {
      addresses.set(socket, address)
      perAddress.set(address, (perAddress.get(address) ?? 0) + 1)
    },
    remove(socket: Socket): void {
      const address = addresses.get(socket)
      if (address === undefined) return
      addresses.delete(socket)
      const left = (perAddress.get(address) ?? 1) - 1
      if (left === 0) perAddress.delete(address)
      else perAddress.set(address, left)
    },
    /** A request came on it. */
    asked(socket: Socket): void {
      const address = addresses.get(socket)
      if (address === undefined) return
      addresses.delete(socket)
      addresses.set(socket, address)
    },
    countOf: (address: string): number => perAddress.get(address) ?? 0,
    /**
     * The one whose last request is longest ago; a busy one only if all are.
     * @param ofAddress only connections of this address, unless left out
     */
    quietest(ofAddress?: string): Socket | undefined {
      let first: Socket | undefined
      for (const [socket, address] of addresses) {
        if (ofAddress !== undefined && address !== ofAddress) continue
        if (!isBusy(socket)) return socket
        first ??= socket
      }
      return first
    },
  }
}
