/** Names of the farms' Durable Objects. */

/** The object of the farm at the root paths; a fleet's farms have names of another form. */
export const defaultFarm = 'default'
const fleetPrefix = 'farm/'

/** @param farm its name in the fleet @returns the name of its object */
export const fleetFarm = (farm: string): string => `${fleetPrefix}${farm}`

/** @param object the name of its object @returns the farm's name in the fleet, or `default` */
export const farmNameOf = (object: string | undefined): string | undefined =>
  object?.startsWith(fleetPrefix) ? object.slice(fleetPrefix.length) : object
