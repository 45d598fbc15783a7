import { fleetEndpoint } from '../endpoint.ts'
import { fleetEntry, fleetNotes, noSuchFarm, readNotes } from '../fleet.ts'
import { maxJsonBody } from '../json-body.ts'
import { exampleFarm } from './farms.ts'

export const noteFarm = fleetEndpoint({
  method: 'PATCH',
  path: '/farms/{farm}',
  tag: 'Fleet',
  operationId: 'noteFarm',
  summary: "Sets a farm's tags and note; an absent member is kept, and an empty note removes the note",
  parameters: {},
  body: {
    type: 'application/json',
    schema: fleetNotes,
    read: readNotes,
    example: { tags: ['eu', 'paid'], note: 'Moves to a new machine in May' },
    maxBytes: maxJsonBody,
  },
  result: fleetEntry,
  example: exampleFarm,
  problems: ['farm_not_found'],
  async handle({ farm, body }, fleet) {
    const entry = await fleet.note(farm, body)
    if (entry === undefined) throw noSuchFarm(farm)
    return entry
  },
})
