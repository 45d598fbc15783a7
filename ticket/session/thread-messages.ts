import type { TicketConfig } from '../config.ts'
import type { DownloadStatus } from '../download-port.ts'
import type { AppTicket, LobbySettings, PlatformErrorKind, SessionState } from '../platform-port.ts'

/** What the session thread is started with. */
export interface ThreadStart {
  readonly config: TicketConfig
  readonly pretty: boolean
}

/** The requests that the thread answers. */
export interface Requests {
  requestTicket: { ask: null; answer: AppTicket }
  createLobby: { ask: LobbySettings; answer: bigint }
  setLobby: { ask: LobbySettings & { id: bigint }; answer: null }
  leaveLobby: { ask: bigint; answer: null }
  close: { ask: null; answer: null }
}

export type RequestName = keyof Requests

/** To the thread. */
export type ToThread = {
  [Name in RequestName]: { readonly id: number; readonly name: Name; readonly ask: Requests[Name]['ask'] }
}[RequestName]

/** From the thread. */
export type FromThread =
  | { readonly kind: 'state'; readonly state: SessionState; readonly download: DownloadStatus }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Requests[RequestName]['answer'] }
  | {
      readonly kind: 'error'
      readonly id: number
      readonly error: PlatformErrorKind
      readonly result: string | null
    }
