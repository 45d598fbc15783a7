import type { Socket } from 'node:net'

/**
 * Connections in groups, such as those of one address or of one key, in the order of their last request.
 * @param isBusy whether a connection has a pending request
 */
export function groupedConnections(isBusy: (socket: Socket) => boolean) {
  /** The group of each, least recently used first: a map keeps the order of insertion. */
  const groups = new Map<Socket, string>()
  const counts = new Map<string, number>()
  const remove = (socket: Socket): void => {
    const group = groups.get(socket)
    if (group === undefined) return
    groups.delete(socket)
    const left = (counts.get(group) ?? 1) - 1
    if (left === 0) counts.delete(group)
    else counts.set(group, left)
  }
  return {
    /** Adds a connection, or moves it from its group to this one. */
    add(socket: Socket, group: string): void {
      remove(socket)
      groups.set(socket, group)
      counts.set(group, (counts.get(group) ?? 0) + 1)
    },
    remove,
    /** It has a new request. */
    asked(socket: Socket): void {
      const group = groups.get(socket)
      if (group === undefined) return
      groups.delete(socket)
      groups.set(socket, group)
    },
    groupOf: (socket: Socket): string | undefined => groups.get(socket),
    get size(): number {
      return groups.size
    },
    countOf: (group: string): number => counts.get(group) ?? 0,
    /** The group with the most connections; undefined when there is none. */
    largest(): string | undefined {
      let most: readonly [string, number] | undefined
      for (const one of counts) if (most === undefined || one[1] > most[1]) most = one
      return most?.[0]
    },
    /**
     * The least recently used one; a busy one only if all are.
     * @param ofGroup only connections of this group, unless omitted
     */
    quietest(ofGroup?: string): Socket | undefined {
      let first: Socket | undefined
      for (const [socket, group] of groups) {
        if (ofGroup !== undefined && group !== ofGroup) continue
        if (!isBusy(socket)) return socket
        first ??= socket
      }
      return first
    },
  }
}
