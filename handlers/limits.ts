/** How many records of a kind a farm may have. They are counted in the transaction that adds one. */
export const limits = { keys: 500, webhooks: 50, schedules: 50, invitations: 500 } as const

export type LimitedKind = keyof typeof limits
/** The kinds, in the order of the table. */
export const limitedKinds = ['keys', 'webhooks', 'schedules', 'invitations'] as const satisfies LimitedKind[]
