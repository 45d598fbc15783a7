import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { farmhandsFor } from '../farmhand-accounts.ts'
import { farmhands as record } from '../game-records.ts'
import { boolean, integer, optional, text } from '../parameter.ts'
import { folded } from '../person.ts'
import { maxWait, meets, since, timeout, waited } from '../wait-parameters.ts'
import { farmhands } from './farmhands.ts'

export const waitFarmhands = endpoint('GET /wait/farmhands', {
  scope: 'read',
  tag: 'Waiting',
  operationId: 'waitForFarmhands',
  summary: docs('The farmhands as soon as they match; 408 without a body when they do not in time'),
  parameters: {
    since,
    timeout,
    farmhandCount: optional(integer(0, 1_000_000, { description: docs('Slots, exactly') })),
    hasFarmhand: optional(text({ description: docs('The name of a farmhand, in any case') })),
    requireCustomized: optional(
      boolean({
        description: docs('Only with `hasFarmhand`: whether its character must be finished'),
      }),
    ),
  },
  result: record,
  example: farmhands.example,
  budget: maxWait,
  problems: ['wait_timeout'],
  handle(request, { game }) {
    const { since = 0, farmhandCount, hasFarmhand, requireCustomized } = request.query
    const wanted = hasFarmhand === undefined ? undefined : folded(hasFarmhand)
    return waited(request, async () => {
      const now = await game.farmhands()
      const isThere =
        wanted === undefined ||
        now.farmhands.some(
          ({ name, isCustomized }) => folded(name) === wanted && (requireCustomized !== true || isCustomized),
        )
      if (farmhandCount !== undefined || wanted !== undefined)
        request.filtered({
          ...(farmhandCount !== undefined && { farmhandCount: now.farmhands.length }),
          ...(wanted !== undefined && { [`farmhand ${wanted} ${requireCustomized === true}`]: isThere }),
        })
      return now.version > since && meets(farmhandCount, now.farmhands.length) && isThere
        ? farmhandsFor(request.holder, now)
        : undefined
    })
  },
})
