import * as v from 'valibot'
import { described, docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { FarmError } from '../farm-error.ts'
import { presentMoment } from '../game-moment.ts'
import { joinChecks, joinReport } from '../join.ts'

const check = v.picklist(joinChecks)

export const join = endpoint('GET /join', {
  at: 'farm',
  scope: 'read',
  tag: 'Players',
  operationId: 'getJoin',
  summary: docs('Why friends cannot join: each check in order, and the first that is wrong'),
  result: v.object({
    checks: v.array(
      v.object({
        check,
        state: v.picklist(['ok', 'wrong', 'unknown']),
        message: v.string(),
        next: v.exactOptional(described(docs('What to do.'), v.string())),
      }),
    ),
    first: v.exactOptional(described(docs('The first check that is wrong.'), check)),
  }),
  example: docs({
    checks: [
      { check: 'process', state: 'ok', message: 'The game runs.' },
      {
        check: 'night',
        state: 'wrong',
        message: 'The night is being saved.',
        next: 'Wait for the next day.',
      },
    ],
    first: 'night',
  }),
  async handle(_request, { game, mods, ticketService }) {
    const { status, moment } = await presentMoment(game)
    const { connections, cause } = game.health()
    const [password, list, signIn] = await Promise.all([
      orUnknown(game.passwordProtection()),
      orUnknown(mods.mods()),
      ticketService.signIn(),
    ])
    return joinReport({
      moment,
      status,
      connections,
      cause: cause?.code,
      signIn,
      password,
      brokenMods: list?.mods.filter(({ enabled, problems }) => enabled && problems.length > 0).length,
    })
  },
})

const orUnknown = <Known>(asked: Promise<Known>): Promise<Known | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof FarmError) return undefined
    throw error
  })
