import * as v from 'valibot'
import { cleaned, maxUnits } from '../chat-line.ts'
import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { jsonBody } from '../json-body.ts'
import { Problem } from '../problem.ts'
import { announcer, sayAsServer } from '../say-as-server.ts'

const aLine = `Member 'message' must be a text of 1 to ${maxUnits.line} characters that is not blank`
const announcement = v.strictObject({
  message: v.pipe(v.string(aLine), v.minLength(1, aLine), v.maxLength(maxUnits.line, aLine)),
})

export const announce = endpoint('POST /announce', {
  at: 'farm',
  scope: 'chat',
  tag: 'Server',
  operationId: 'announce',
  summary: docs(
    'Says a line to all players as the server, or as a chat line by Server where the game cannot',
  ),
  body: jsonBody(announcement, docs({ message: 'The farm restarts at 6' }), ({ message }) => ({
    author: announcer,
    ...(typeof message === 'string' && { length: cleaned(message).length }),
  })),
  result: v.object({ success: v.literal(true), message: v.string() }),
  example: docs({ success: true, message: 'Announced to all players' }),
  problems: ['server_not_ready'],
  check({ body }) {
    if (cleaned(body.message) === '') throw new Problem('invalid_parameter', aLine, { parameter: 'message' })
  },
  async handle({ body }, { game }) {
    await sayAsServer(game, cleaned(body.message))
    return { success: true as const, message: 'Announced to all players' }
  },
})
