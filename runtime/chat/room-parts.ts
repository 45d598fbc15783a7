import { placesOfKey } from '../../handlers/chat/limits.ts'
import type { RoomOptions } from '../../handlers/chat/room.ts'
import type { Api } from '../api.ts'
import { chatAudit } from './chat-audit.ts'
import { crowdedAddresses } from './chat-client-limits.ts'
import { summedLines } from './summed-lines.ts'

/** What a chat room uses of the API of its server. */
export type RoomApi = Pick<Api, 'gate' | 'audit' | 'metrics' | 'log' | 'now' | 'monotonic' | 'newRequestId'>

/**
 * What the chat rooms of both runtimes share. Client lines that the game did not get are counted, logged and recorded
 * without their text: the log has one line a minute for each address and reason.
 * @param maxClients chat clients at once
 */
export function roomParts(api: RoomApi, maxClients: number) {
  const { gate, log, now, monotonic } = api
  const counts = api.metrics.chat
  const audit = chatAudit(api)
  const crowded = crowdedAddresses(log, monotonic)
  const refused = summedLines<string>(
    (lines, { address }, code) =>
      log.info({ code, lines, address }, 'chat lines of a client were not said into the game'),
    monotonic,
  )
  return {
    /** Logs that an address has too many clients that have not authenticated. */
    crowded: crowded.note,
    room: {
      maxPerKey: placesOfKey(maxClients),
      verify: gate.verify,
      current: gate.current,
      refused(client, code, lines) {
        counts.linesRefused.inc({ code }, lines)
        refused.note(`${code} ${client.address}`, lines, client, code)
        audit.refused(client, code, lines)
      },
      counts,
      // A pending timer keeps the object of a farm, and with it the held lines, in memory.
      pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
      now,
      timestamp: () => new Date(now()).toISOString(),
    } satisfies Partial<RoomOptions>,
    /** Writes what is due; call this now and then. @param isLast whether to write all */
    flush(isLast?: boolean): void {
      for (const lines of [crowded, refused, audit]) lines.flush(isLast)
    },
  }
}
