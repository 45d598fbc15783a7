/** What the calls of one webhook have in common. */
import { text } from '../parameter.ts'
import { Problem } from '../problem.ts'
import { maxIdLength } from '../webhook-record.ts'

export const webhookIdParameter = text({
  description: "The webhook's id, as GET /webhooks answers it",
  example: '6f1c2a9b03de',
})

/**
 * What a call of the records answers about a webhook.
 * @throws {Problem} webhook_not_found when it answers false or undefined
 */
export async function foundWebhook<T>(
  id: string,
  ask: (id: string) => Promise<T | false | undefined>,
): Promise<T> {
  // Longer than any id: the link would not carry it.
  const found = id.length > maxIdLength ? undefined : await ask(id)
  if (found === undefined || found === false) throw new Problem('webhook_not_found', 'Webhook not found')
  return found
}
