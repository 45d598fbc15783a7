/** A live connection without a network: the test controls its socket and its clock. */
import { onTestFinished, vi } from 'vitest'
import {
  type ChatLine,
  type ConnectOptions,
  connect,
  type FarmgateError,
  type Gap,
  type LiveOptions,
  type Socket,
  type SocketEvent,
} from '../../client/index.ts'

/** The server's end of a connection. */
export class SteeredSocket implements Socket {
  static readonly all: SteeredSocket[] = []
  static get last(): SteeredSocket {
    const last = SteeredSocket.all.at(-1)
    if (last === undefined) throw new Error('nothing has connected')
    return last
  }
  readonly sent: { readonly type: string; readonly payload?: Record<string, unknown> }[] = []
  readonly #listeners = new Map<string, (event: SocketEvent) => void>()
  readonly url: string
  isClosed = false

  constructor(url: string) {
    this.url = url
    SteeredSocket.all.push(this)
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text))
  }
  close(): void {
    this.isClosed = true
  }
  addEventListener(type: string, listener: (event: SocketEvent) => void): void {
    this.#listeners.set(type, listener)
  }
  happen(type: string, event: Omit<SocketEvent, 'type'> = {}): void {
    this.#listeners.get(type)?.({ type, ...event })
  }
  deliver(type: string, payload?: object): void {
    this.happen('message', { data: JSON.stringify({ type, payload }) })
  }
  accept(newest = 100): void {
    this.happen('open')
    this.deliver('auth_success')
    if (this.sent[0]?.payload?.['since'] === Number.MAX_SAFE_INTEGER)
      this.deliver('gap', { from: null, to: newest })
  }
  chat(seq: number, message = `line ${seq}`): void {
    this.deliver('chat', { playerName: 'Abby', message, timestamp: '2026-11-21T12:00:00.000Z', seq })
  }
  drop(code = 1006, reason = ''): void {
    this.happen('close', { code, reason })
  }
}

/** A live connection without listeners whose socket has yet to open, on a stopped clock. */
export function unheard(options: LiveOptions = {}, more: Partial<ConnectOptions> = {}) {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  SteeredSocket.all.length = 0
  const problems: FarmgateError[] = []
  const live = connect({
    url: 'https://edge.example/farms/clover',
    key: 'k',
    WebSocket: SteeredSocket,
    fetch: async () => {
      throw new Error('there is no network')
    },
    onProblem: (problem) => problems.push(problem),
    ...more,
  }).live(options)
  return { live, problems }
}

/** The same with listeners for chat lines and gaps. */
export function started(options: LiveOptions = {}, more: Partial<ConnectOptions> = {}) {
  const { live, problems } = unheard(options, more)
  const lines: ChatLine[] = []
  const gaps: Gap[] = []
  live.on('chat', (line) => lines.push(line))
  live.on('gap', (gap) => gaps.push(gap))
  return { live, lines, gaps, problems, seqs: () => lines.map(({ seq }) => seq) }
}

/** Longer than the longest pause before a new attempt. */
export const reconnected = () => vi.advanceTimersByTimeAsync(30_000)
