/** How many connections fit under `ulimit -n` (docs/security.md). */
import { readFileSync } from 'node:fs'

/** Descriptors for everything but the connections of clients: files, the log, connections to the game and the edge. */
const reserved = 128
/** Connections besides those of chat clients. */
const otherDescriptors = 1024

/**
 * How many client connections are accepted at once.
 * @param maxClients chat clients at once
 * @param descriptors what `ulimit -n` says
 */
export const connectionsFor = (maxClients: number, descriptors = descriptorLimit()): number =>
  Math.min(maxClients + otherDescriptors, descriptors - Math.min(reserved, Math.ceil(descriptors / 2)))

/** `ulimit -n` of this process, read from /proc; infinite on systems without /proc. */
function descriptorLimit(): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
