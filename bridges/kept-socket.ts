/** A WebSocket to another server that reopens whenever it is lost. */
import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import type { After } from '../lib/clock.ts'
import type { FailureCause } from '../lib/failure-cause.ts'

type State =
  /** No socket; the next attempt begins after a wait. */
  | { readonly name: 'waiting'; readonly cancel: () => void }
  /**
   * A socket is being opened, or the peer has not accepted it yet. @property settled resolved when it is accepted or
   * lost
   */
  | { readonly name: 'opening'; readonly socket: WebSocket; readonly settled: Promise<void> }
  /** The peer has accepted it. */
  | { readonly name: 'open'; readonly socket: WebSocket }
  /** Permanently. */
  | { readonly name: 'closed' }

/** One connection. */
export interface Attempt {
  readonly socket: WebSocket
  /** The peer has accepted it. */
  letIn(): void
  /** Notes why it will end; only the first cause counts. */
  blame(cause: FailureCause): void
  /** Ends it at once. */
  giveUp(cause: FailureCause): void
}

interface KeptSocketParts {
  readonly after: After
  open(): WebSocket
  /** Adds the listeners of a connection. @returns called when it has ended, before `lost` */
  begin(attempt: Attempt): () => void
  causeOfError(error: Error): FailureCause
  causeOfClose(code: number): FailureCause
  /** The cause when the handshake was answered with a status. */
  causeOfAnswer(response: IncomingMessage): FailureCause
  /** @returns milliseconds until the next attempt */
  lost(cause: FailureCause): number
}

/** Opens a socket at once, and another after each loss until `close` is called. */
export function keptSocket(parts: KeptSocketParts) {
  const idle: State = { name: 'waiting', cancel: () => undefined }
  let state: State = idle
  const change = (next: State) => {
    if (state.name !== 'closed') state = next
  }
  function connect() {
    const socket = parts.open()
    const { promise: settled, resolve } = Promise.withResolvers<void>()
    let cause: FailureCause | undefined
    change({ name: 'opening', socket, settled })
    const blame = (because: FailureCause) => {
      cause ??= because
    }
    const giveUp = (because: FailureCause) => {
      blame(because)
      socket.terminate()
    }
    const letIn = () => {
      change({ name: 'open', socket })
      resolve()
    }
    const ended = parts.begin({ socket, letIn, blame, giveUp })
    socket.on('unexpected-response', (_request, response) => {
      response.resume()
      giveUp(parts.causeOfAnswer(response))
    })
    socket.on('error', (error) => giveUp(parts.causeOfError(error)))
    socket.on('close', (code) => {
      change(idle)
      ended()
      if (state.name !== 'closed')
        change({
          name: 'waiting',
          cancel: parts.after(parts.lost(cause ?? parts.causeOfClose(code)), connect),
        })
      resolve()
    })
  }
  connect()
  return {
    get state(): State['name'] {
      return state.name
    },
    /** Undefined while none is open. */
    get open(): WebSocket | undefined {
      return state.name === 'open' ? state.socket : undefined
    },
    /** Resolved when the socket that is being opened is accepted or lost. */
    get settled(): Promise<void> | undefined {
      return state.name === 'opening' ? state.settled : undefined
    },
    /** Makes the next attempt now instead of later. */
    tryNow() {
      if (state.name !== 'waiting') return
      state.cancel()
      connect()
    },
    /** Opens no further socket. @returns the current one, for the caller to end */
    close(): WebSocket | undefined {
      const last = state
      state = { name: 'closed' }
      if (last.name === 'waiting') last.cancel()
      return 'socket' in last ? last.socket : undefined
    },
  }
}
