import * as v from 'valibot'
import { docs } from '../described.ts'
import { fleetEndpoint } from '../endpoint.ts'
import { noSuchFarm, rotations } from '../fleet.ts'
import { timestamp } from '../game-records.ts'
import { integer, optional } from '../parameter.ts'
import { Problem } from '../problem.ts'

export const putFarm = fleetEndpoint('PUT /farms/{farm}', {
  tag: 'Fleet',
  operationId: 'putFarm',
  summary: docs(
    'Creates a farm; an existing one stays unchanged, or gets new keys with `rotate`. Only this answer shows keys',
  ),
  parameters: {
    rotate: {
      read: (text: string) => rotations.find((one) => one === text),
      expected: 'api, link or all',
      description: docs('Which key is replaced'),
      required: false,
      schema: { enum: rotations },
    },
    overlapMinutes: optional(
      integer(0, 7 * 24 * 60, {
        description: docs('Minutes for which the replaced key stays valid'),
      }),
    ),
  },
  status: 201,
  existed: ({ created }, { rotate }) => created === false || rotate !== undefined,
  result: v.object({
    farm: v.string(),
    created: v.exactOptional(v.literal(false)),
    apiKey: v.exactOptional(v.string()),
    linkKey: v.exactOptional(v.string()),
    oldKeysEndAt: v.exactOptional(timestamp),
  }),
  example: docs({ farm: 'meadow', apiKey: '<API_KEY>', linkKey: '<link key>' }),
  problems: ['not_found'],
  async handle({ farm, query: { rotate, overlapMinutes } }, fleet) {
    if (rotate !== undefined) {
      const keys = await fleet.rotate(farm, rotate, overlapMinutes)
      if (keys === undefined) throw noSuchFarm(farm, 'not_found')
      return { farm, ...keys }
    }
    if (overlapMinutes !== undefined)
      throw new Problem('invalid_parameter', "'overlapMinutes' needs 'rotate': api, link or all", {
        parameter: 'overlapMinutes',
      })
    const keys = await fleet.create(farm)
    return keys === undefined ? { farm, created: false as const } : { farm, ...keys }
  },
})
