/** A plain WebSocket client of `/ws` (docs/bot.md). */
import { expect, onTestFinished } from 'vitest'
import { type ClientOptions, WebSocket } from 'ws'
import { eventually } from '../wait.ts'
import type { ServerUnderTest } from './server-under-test.ts'

interface Message {
  readonly type: string
  readonly payload?: Readonly<Record<string, unknown>>
  readonly error?: string
}

interface Closing {
  readonly code: number
  readonly reason: string
}

export interface ChatClient {
  readonly ws: WebSocket
  /** Every received text, oldest first. */
  readonly texts: readonly string[]
  readonly closed: Promise<Closing>
  /** @param message a text as it is, anything else as JSON */
  send(message: unknown): void
  messages(type?: string): readonly Message[]
  /** The next message not yet taken, of that type. */
  take(type: string): Promise<Message>
  /** Sends a ping and awaits its pong: every earlier message was handled, and its answers are here. */
  settled(): Promise<void>
}

/** Opens `/ws` and waits until it is open. */
export async function openChat(
  { wsUrl }: Pick<ServerUnderTest, 'wsUrl'>,
  options: ClientOptions = {},
  protocols: readonly string[] = [],
): Promise<ChatClient> {
  const ws = new WebSocket(wsUrl, [...protocols], { perMessageDeflate: false, ...options })
  onTestFinished(() => ws.terminate())
  const texts: string[] = []
  let taken = 0
  const closed = new Promise<Closing>((resolve) =>
    ws.on('close', (code, reason) => resolve({ code, reason: reason.toString() })),
  )
  ws.on('message', (bytes) => texts.push(bytes.toString()))
  await new Promise<void>((resolve, reject) => ws.on('open', resolve).on('error', reject))
  const all = () => texts.map((text) => JSON.parse(text) as Message)
  const client: ChatClient = {
    ws,
    texts,
    closed,
    send: (message) => ws.send(typeof message === 'string' ? message : JSON.stringify(message)),
    messages: (type) => all().filter((message) => type === undefined || message.type === type),
    take: (type) =>
      eventually(() => {
        const found = all().findIndex((message, at) => at >= taken && message.type === type)
        const message = all()[found]
        if (message === undefined) throw new Error(`no ${type} among ${texts.slice(taken).join(' ')}`)
        taken = found + 1
        return message
      }),
    async settled() {
      const before = client.messages('pong').length
      client.send({ type: 'ping' })
      await eventually(() => expect(client.messages('pong').length).toBeGreaterThan(before))
    },
  }
  return client
}

/** Opens and authenticates. @param payload members in addition to the token */
export async function openAuthenticated(
  server: Pick<ServerUnderTest, 'wsUrl' | 'key'>,
  payload: Readonly<Record<string, unknown>> = {},
): Promise<ChatClient> {
  const client = await openChat(server)
  client.send({ type: 'auth', payload: { token: server.key, ...payload } })
  await client.take('auth_success')
  return client
}

/** The refusal of a handshake: the status, and the body as JSON. */
export function refusedHandshake(
  wsUrl: string,
  options: ClientOptions = {},
): Promise<{ readonly status: number | undefined; readonly json: unknown }> {
  return new Promise((resolve, reject) => {
    const ws = new WebSocket(wsUrl, options)
    ws.on('error', () => undefined)
    ws.on('open', () => {
      ws.terminate()
      reject(new Error('the handshake was accepted'))
    })
    ws.on('unexpected-response', (_request, response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        body += text
      })
      response.on('end', () => resolve({ status: response.statusCode, json: body && JSON.parse(body) }))
    })
  })
}
