/** The input of `dispatch`. */
import type { LinkedRecords } from '../../bridges/linked/calls.ts'
import type { Forward } from '../../bridges/linked/edge-end/forward.ts'
import type { BegunWrite } from '../../handlers/audit-entry.ts'
import type { BodyLimits, EdgePorts, FarmPorts, RangeHeaders, Upload } from '../../handlers/endpoint.ts'
import type { KeyHolder } from '../../handlers/key-holder.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Gate } from '../http/gate.ts'
import type { FilterChanges } from '../http/predicate-changed-at.ts'
import type { Audit } from './audit.ts'
import type { OpenStreams } from './open-streams.ts'

/** The ports of the farm's own process, or those of the edge, which forwards what needs the others. */
export type Ports = FarmPorts | PortsOfEdge

interface PortsOfEdge extends Pick<EdgePorts, 'game'> {
  readonly records: LinkedRecords
  readonly forward: Forward
}

/** What all calls of a server share. */
export interface DispatchParts extends Pick<Clock, 'now'> {
  readonly farm: Ports & Pick<EdgePorts, 'metrics'>
  readonly gate: Pick<Gate, 'current'>
  readonly audit: Pick<Audit, 'write'>
  readonly publicInviteCodes: boolean
  readonly publicBadge: boolean
  /** Ends long polls when the process stops. */
  readonly stopping?: AbortSignal | undefined
  readonly changes: FilterChanges
  readonly streams: OpenStreams
}

export interface Call {
  /** The query as it was sent, without its `?`. */
  readonly search: string
  /** The body as text. Called for an endpoint that has one, after the checks. @throws {Problem} */
  readonly body: (of: BodyLimits) => Promise<string>
  /** The body piece by piece; missing where the caller cannot send one. @throws {Problem} as its pieces do */
  readonly upload?: (of: Pick<Upload, 'type' | 'maxBytes'>) => AsyncIterable<Uint8Array>
  /** The holder of the key; undefined for a caller without a valid one. */
  readonly holder: KeyHolder | undefined
  /** The origin of the call in the audit. */
  readonly from: Pick<BegunWrite, 'requestId' | 'address' | 'isCommand'>
  /** Discord sends its commands to the server that was called. */
  readonly takesDiscord: boolean
  /** What the cookie of a sign-in that has begun holds. */
  readonly attempt?: string | undefined
  readonly range?: RangeHeaders | undefined
  /** Aborted when the caller has left; missing where the runtime does not report this. */
  readonly over?: AbortSignal | undefined
}
