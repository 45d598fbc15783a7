/** How many records of a kind a farm may have. Those in the database are counted in the transaction that adds one. */
export const limits = {
  keys: 500,
  webhooks: 50,
  schedules: 50,
  invitations: 500,
  pack_links: 100,
  discordServers: 50,
} as const

/** The kinds that have an error code of their own. */
export const limitedKinds = [
  'keys',
  'webhooks',
  'schedules',
  'invitations',
  'pack_links',
] as const satisfies (keyof typeof limits)[]
