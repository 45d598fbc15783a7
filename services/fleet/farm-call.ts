/** The calls of farms on behalf of the fleet's operator. */
import type { FleetChange } from '../../handlers/audit-entry.ts'
import type { Endpoint } from '../../handlers/endpoint.ts'

/** A request to the fleet's API that has the right key. */
export interface FleetRequest extends Pick<FleetChange, 'requestId' | 'address' | 'parameters'> {
  /** When it came, milliseconds since 1970. */
  readonly at: number
}

/** The answer of a farm: its JSON, or why there is none. */
export type FarmReply =
  | { readonly json: unknown }
  | { readonly refused: { readonly error: string; readonly code: string } }

export interface FarmCall {
  readonly endpoint: Endpoint
  /** The query without its `?`. */
  readonly search: string
  readonly body?: string
}
