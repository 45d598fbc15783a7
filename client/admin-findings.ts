/** Findings about webhooks and commands of Discord, which only a key with the scope `admin` can read. */
import type { CallOptions } from './call.ts'
import { type Finding, finding } from './findings.ts'
import type { Farm } from './index.ts'
import type { DiscordServers } from './types.ts'

/**
 * @param hasEdge whether the farm is linked to an edge, to which Discord may send the commands instead
 * @throws {FarmgateError}
 */
export async function adminFindings(farm: Farm, hasEdge: boolean, options: CallOptions): Promise<Finding[]> {
  const [webhooks, discord] = await Promise.all([
    webhookFindings(farm, options),
    farm.discordServers({}, options),
  ])
  return [...webhooks, ...discordFindings(discord, hasEdge)]
}

async function webhookFindings(farm: Farm, options: CallOptions): Promise<Finding[]> {
  const { webhooks } = await farm.webhooks({}, options)
  const inUse = webhooks.filter(({ disabledAt }) => disabledAt === undefined)
  const failing = (await Promise.all(inUse.map(({ id }) => isFailing(farm, id, options)))).filter(
    Boolean,
  ).length
  const off = webhooks.length - inUse.length
  return [
    ...(off > 0 ? [finding('webhooks_off', off, webhooks.length)] : []),
    ...(failing > 0 ? [finding('webhooks_failing', failing, webhooks.length)] : []),
    ...(webhooks.length > 0 && off + failing === 0 ? [finding('webhooks_arrive', webhooks.length)] : []),
  ]
}

/** Maximum of newest deliveries that are read of each webhook. They are tried in the order in which they were made. */
const newest = 100

/** Whether the last tried delivery did not arrive, or all of the newest ones still wait for their first attempt. */
async function isFailing(farm: Farm, id: string, options: CallOptions): Promise<boolean> {
  const { deliveries } = await farm.webhookDeliveries({ id, limit: newest }, options)
  const last = deliveries.find(({ state, tries }) => state !== 'waiting' || tries > 0)
  return last === undefined ? deliveries.length === newest : last.state !== 'delivered'
}

function discordFindings({ isSetUp, servers: { length } }: DiscordServers, hasEdge: boolean): Finding[] {
  if (isSetUp) return [length > 0 ? finding('discord_bound', length) : finding('discord_unbound')]
  return length > 0 && !hasEdge ? [finding('discord_not_set_up', length)] : []
}
