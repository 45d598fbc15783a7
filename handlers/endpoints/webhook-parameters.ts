/** The common parts of the calls for one webhook. */
import { text } from '../parameter.ts'
import { Problem } from '../problem.ts'

export const webhookIdParameter = text({
  description: "The webhook's id, as GET /webhooks returns it",
  example: '6f1c2a9b03de',
})

/**
 * The answer of the records about a webhook.
 * @throws {Problem} webhook_not_found when it is false or undefined
 */
export async function foundWebhook<T>(asked: Promise<T | false | undefined>): Promise<T> {
  const found = await asked
  if (found === undefined || found === false) throw new Problem('webhook_not_found', 'Webhook not found')
  return found
}
