/** The part of a WebSocket that the client uses: that of browsers, Node, Workers and Bun, and of the package `ws`. */
export interface Socket {
  send(text: string): void
  close(code?: number): void
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: SocketEvent) => void): void
}

export interface SocketEvent {
  readonly type: string
  readonly data?: unknown
  readonly code?: number
  readonly reason?: string
}

export type SocketClass = new (url: string) => Socket
