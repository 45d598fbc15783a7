import * as v from 'valibot'
import { docs } from '../described.ts'
import { fleetEndpoint } from '../endpoint.ts'
import { tidy } from '../fleet.ts'
import { type FleetActionRequest, fleetActionRequest } from '../fleet-action.ts'
import { readStrict } from '../json-body.ts'
import { Problem } from '../problem.ts'
import { checkScheduled } from './scheduled-endpoints.ts'

/** @throws {Problem} invalid_parameter, also where a farm would refuse the arguments */
function readRequest(json: unknown): FleetActionRequest {
  const request = readStrict(fleetActionRequest, json)
  const { action, farms = [], tags = [] } = request
  if (farms.length === 0 && tags.length === 0)
    throw new Problem('invalid_parameter', "Name the farms in 'farms', or tags of farms in 'tags'", {
      parameter: 'farms',
    })
  checkScheduled({ ...request.arguments, action }, 'arguments')
  return { ...request, ...(request.tags !== undefined && { tags: tags.map(tidy) }) }
}

export const beginAction = fleetEndpoint('POST /farms/actions', {
  tag: 'Fleet',
  operationId: 'beginFarmsAction',
  summary: docs('Begins an action at many farms: an announcement, a restart of the game, or a backup'),
  body: {
    type: 'application/json',
    schema: fleetActionRequest,
    read: readRequest,
    example: {
      action: 'restart',
      farms: ['meadow'],
      tags: ['eu'],
      arguments: { when: 'empty', reason: 'New mods' },
      atOnce: 5,
      stopAfterFailures: 3,
    },
    // The names of 2,000 farms, of 63 characters each.
    maxBytes: 160 * 1024,
  },
  status: 202,
  result: v.object({ id: v.string() }),
  example: docs({ id: '6f1c2a9b03de' }),
  async handle({ body }, fleet) {
    const id = await fleet.beginAction(body)
    if (id === undefined)
      throw new Problem('invalid_parameter', "No farm has one of these 'tags'", { parameter: 'tags' })
    return { id }
  },
})
