/** Sends Discord the message of an answer that was deferred. */
import type { CommandInteraction } from './interaction.ts'
import { editedReply, type Reply } from './reply.ts'

/** Milliseconds of one try, before the second and the third one, and that Discord may ask to wait. */
const timeout = 10_000
const pauses = [1000, 5000] as const
const maxWait = 60_000

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

interface EditReplyParts {
  /** Of Discord. */
  readonly apiUrl: string
  /** Who asks (https://discord.com/developers/docs/reference#user-agent). */
  readonly userAgent: string
  readonly log: { warn(fields: object, message: string): void }
}

/**
 * Tries three times, as long as Discord answers with 429 or 5xx, or not at all.
 */
export async function editReply(
  { apiUrl, userAgent, log }: EditReplyParts,
  { application_id, token }: CommandInteraction,
  reply: Reply,
): Promise<void> {
  const url = `${apiUrl}/webhooks/${application_id}/${encodeURIComponent(token)}/messages/@original`
  const init = {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json', 'User-Agent': userAgent },
    body: editedReply(reply),
    redirect: 'manual',
  } as const
  for (const wait of [...pauses, undefined]) {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(timeout) }).catch(() => undefined)
    // What is left of it is not wanted, nor why it broke off.
    await answer?.body?.cancel().catch(() => undefined)
    if (answer?.ok) return
    const isFinal = answer !== undefined && answer.status !== 429 && answer.status < 500
    if (wait === undefined || isFinal)
      return log.warn({ status: answer?.status }, 'an answer could not be sent to Discord')
    const asked = Number(answer?.headers.get('retry-after') ?? Number.NaN) * 1000
    await pause(asked >= 0 ? Math.min(asked, maxWait) : wait)
  }
}
