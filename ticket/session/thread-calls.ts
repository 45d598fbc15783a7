import type { TicketConfig } from '../config.ts'
import type { DownloadStatus } from '../download-port.ts'
import type { PlatformPort, SessionState } from '../platform-port.ts'

/** `workerData` of the session thread. */
export interface ThreadStart {
  readonly config: TicketConfig
  /** As in the log of the main thread: a thread cannot ask the terminal. */
  readonly pretty: boolean
  readonly colours: boolean
}

/** Functions that other threads call in the session thread. */
export interface SessionThreadCalls
  extends Pick<
    PlatformPort,
    | 'requestTicket'
    | 'createLobby'
    | 'setLobby'
    | 'leaveLobby'
    | 'renewToken'
    | 'repairGame'
    | 'setupStatus'
    | 'beginSignIn'
    | 'retryDownload'
    | 'close'
  > {
  /** Begins no more work, and waits for the pending renewal of the token. */
  finishRenewal(): Promise<void>
}

/** Functions that the session thread calls in the main thread. */
export interface SessionListener {
  changed(state: SessionState, download: DownloadStatus): void
}
