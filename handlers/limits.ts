/** How many records of a kind a farm may have. They are counted in the transaction that adds one. */
export const limits = {
  keys: 500,
  webhooks: 50,
  schedules: 50,
  invitations: 500,
  discordServers: 50,
} as const

/** The kinds that have an error code of their own. */
export const limitedKinds = [
  'keys',
  'webhooks',
  'schedules',
  'invitations',
] as const satisfies (keyof typeof limits)[]
