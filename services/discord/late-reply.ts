/** Sends Discord the message of a deferred answer. */
import type { CommandInteraction } from './interaction.ts'
import { completion, followUp, type Reply } from './reply.ts'

/** Milliseconds of one attempt. */
const timeout = 10_000
/** Milliseconds before the second and the third attempt. */
const pauses = [1000, 5000] as const
/** Maximum of milliseconds to wait when Discord asks for more by `Retry-After`. */
const maxWait = 60_000

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

interface LateReplyParts {
  /** Address of the API of Discord. */
  readonly apiUrl: string
  /** The `User-Agent` of the requests (https://discord.com/developers/docs/reference#user-agent). */
  readonly userAgent: string
  readonly log: { warn(fields: object, message: string): void }
}

/**
 * When an answer is deferred, Discord decides whether everyone in the channel sees the message that completes it. A
 * private message therefore replaces a deferred answer that the channel sees: that is deleted first, because Discord
 * would otherwise complete it with the next message and show that to the channel
 * (https://discord.com/developers/docs/interactions/receiving-and-responding#create-followup-message).
 */
export function lateReplies({ apiUrl, userAgent, log }: LateReplyParts) {
  return async (
    { application_id, token }: CommandInteraction,
    isDeferredInPrivate: boolean,
    reply: Reply,
  ): Promise<void> => {
    const answers = `${apiUrl}/webhooks/${application_id}/${encodeURIComponent(token)}`
    const original = `${answers}/messages/@original`
    if (isDeferredInPrivate || !reply.isPrivate) await isTaken(original, 'PATCH', completion(reply))
    else if (await isTaken(original, 'DELETE')) await isTaken(answers, 'POST', followUp(reply))
  }

  /** Tries three times, as long as Discord answers with 429 or 5xx, or not at all. */
  async function isTaken(url: string, method: string, body?: string): Promise<boolean> {
    const init = {
      method,
      headers: { 'User-Agent': userAgent, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body }),
      redirect: 'manual',
    } as const
    for (const wait of [...pauses, undefined]) {
      const signal = AbortSignal.timeout(timeout)
      const answer = await fetch(url, { ...init, signal }).catch(() => undefined)
      // The rest of the body is not used, and cancelling it frees the connection.
      await answer?.body?.cancel().catch(() => undefined)
      if (answer?.ok) return true
      const isFinal = answer !== undefined && answer.status !== 429 && answer.status < 500
      if (wait === undefined || isFinal) {
        log.warn({ status: answer?.status }, 'an answer could not be sent to Discord')
        break
      }
      const asked = Number(answer?.headers.get('retry-after') ?? Number.NaN) * 1000
      await pause(asked >= 0 ? Math.min(asked, maxWait) : wait)
    }
    return false
  }
}
