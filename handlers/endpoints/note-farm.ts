import { docs } from '../described.ts'
import { fleetEndpoint } from '../endpoint.ts'
import { aNote, aTag, type FleetNotes, fleetEntry, fleetNotes, noSuchFarm, tidy } from '../fleet.ts'
import { maxJsonBody, readStrict } from '../json-body.ts'
import { Problem } from '../problem.ts'
import { exampleFarm } from './farms.ts'

/** @throws {Problem} invalid_parameter */
function readNotes(json: unknown): FleetNotes {
  const { tags, note } = readStrict(fleetNotes, json)
  if (tags?.some((one) => /\p{C}/u.test(one)))
    throw new Problem('invalid_parameter', aTag, { parameter: 'tags' })
  if (note !== undefined && /[^\P{C}\n]/u.test(note))
    throw new Problem('invalid_parameter', aNote, { parameter: 'note' })
  return {
    ...(tags !== undefined && { tags: tags.map(tidy) }),
    ...(note !== undefined && { note: tidy(note) }),
  }
}

export const noteFarm = fleetEndpoint('PATCH /farms/{farm}', {
  tag: 'Fleet',
  operationId: 'noteFarm',
  summary: docs("Sets a farm's tags and note; an absent member is kept, and an empty note removes the note"),
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
