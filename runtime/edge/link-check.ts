import { silence } from '../../bridges/linked/protocol.ts'

/**
 * Minimum of milliseconds to the next check of the link while no client is subscribed; each wakes the object and
 * writes a row.
 */
const idleLinkCheck = 120_000
/**
 * The same for a farm of the fleet while no client is connected, so that the fleet does not show a dead link for long.
 */
const fleetLinkCheck = 30 * 60_000
/** The same while clients are subscribed, because they must soon get the events of an offline farm. */
const minLinkCheck = 1000

/**
 * When to check an open link next, milliseconds since 1970.
 * @param isOfFleet whether the farm reports to the fleet
 * @param ownCheck the interval for a farm of the fleet on the operator's own machine
 * @param lastSeen when the farm last sent a frame or heartbeat, as `now`
 * @returns undefined when no one would learn of the result
 */
export function nextLinkCheck(
  { hasFollowers, hasClients }: { readonly hasFollowers: boolean; readonly hasClients: boolean },
  isOfFleet: boolean,
  ownCheck: number | undefined,
  lastSeen: number | undefined,
  now: number,
): number | undefined {
  if (!hasClients) return isOfFleet ? now + (ownCheck ?? fleetLinkCheck) : undefined
  // When the link will be closed unless a frame or heartbeat comes. While heartbeats come, this time is always at
  // least thirty seconds ahead, so checks are at least that far apart.
  const deadAt = (lastSeen ?? 0) + silence + 500
  return Math.max(deadAt, now + (hasFollowers ? minLinkCheck : idleLinkCheck))
}
