/** A stand-in for Discord's API on loopback: it edits replies and accepts commands. */

import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listening } from '../listening.ts'

interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
  readonly userAgent: string | undefined
  readonly body: unknown
}

export interface DiscordApi {
  /** With its version, as `DISCORD_API_URL`. */
  readonly url: string
  /** Every request, oldest first. */
  readonly requests: readonly ApiRequest[]
  /** The answers to the next requests, before the usual ones. */
  answersNext(...answers: readonly Answer[]): void
  stop(): void
}

/** The answer of `GET /applications/@me`. */
const application = { id: '845027738276462632', name: 'Farm', verify_key: 'ab'.repeat(32) }

type Answer = (response: ServerResponse) => void

/** The bot token that the stand-in accepts. */
export const botToken = 'MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.canary-of-the-bot'

/** @param message the message of the error */
export const refused =
  (status: number, message: string): Answer =>
  (response) =>
    void response
      .writeHead(status, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ message, code: 0 }))

/** @param seconds to wait */
export const rateLimited =
  (seconds: number): Answer =>
  (response) =>
    void response
      .writeHead(429, { 'Content-Type': 'application/json', 'Retry-After': String(Math.ceil(seconds)) })
      .end(JSON.stringify({ message: 'You are being rate limited.', retry_after: seconds, global: false }))

export async function discordApi(): Promise<DiscordApi> {
  const requests: ApiRequest[] = []
  const next: Answer[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const { authorization, 'user-agent': userAgent } = request.headers
    requests.push({
      method: request.method ?? '',
      path: request.url ?? '',
      authorization,
      userAgent,
      body: body === '' ? undefined : JSON.parse(body),
    })
    const answer = next.shift()
    if (answer !== undefined) return answer(response)
    const isOfBot = request.url?.startsWith('/api/v10/applications/') === true
    if (isOfBot && authorization !== `Bot ${botToken}`) return refused(401, '401: Unauthorized')(response)
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(application))
  })
  const port = await listening(server)
  return {
    url: `http://127.0.0.1:${port}/api/v10`,
    requests,
    answersNext: (...answers) => void next.push(...answers),
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
