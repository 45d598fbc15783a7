import type { TicketConfig } from '../config.ts'
import type { DownloadStatus } from '../download-port.ts'
import type { PlatformPort, SessionState } from '../platform-port.ts'

/** What the session thread is started with. */
export interface ThreadStart {
  readonly config: TicketConfig
  readonly pretty: boolean
}

/** What the session thread can be asked. */
export type SessionThreadCalls = Pick<
  PlatformPort,
  'requestTicket' | 'createLobby' | 'setLobby' | 'leaveLobby' | 'close'
>

/** What the session thread tells. */
export interface SessionListener {
  changed(state: SessionState, download: DownloadStatus): void
}
