/** The number of connections within `ulimit -n` (docs/security.md). */
import { readFileSync } from 'node:fs'

/** Descriptors for everything except client connections: files, the log, connections to the game and the edge. */
const reserved = 128
/** Connections in addition to those of chat clients. */
const otherDescriptors = 1024

/**
 * The maximum of client connections at once.
 * @param maxClients chat clients at once
 * @param descriptors the value of `ulimit -n`
 */
export const connectionsFor = (maxClients: number, descriptors = descriptorLimit()): number =>
  Math.min(maxClients + otherDescriptors, descriptors - Math.min(reserved, Math.ceil(descriptors / 2)))

/** `ulimit -n` of this process, read from /proc; infinite on systems without /proc. */
export function descriptorLimit(): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
