import * as v from 'valibot'
import { endpoint } from '../endpoint.ts'
import { jsonBody } from '../json-body.ts'

const aLine = "Member 'line' must be one line of 1 to 512 characters without control characters"
const maxLine = 512

export const typeAtConsole = endpoint('POST /host/console', {
  at: 'farm',
  scope: 'admin',
  tag: 'Host',
  operationId: 'typeAtConsole',
  summary: "Types a line at the game's console, and answers with the output of the next second",
  body: jsonBody(
    v.strictObject({
      line: v.pipe(v.string(aLine), v.maxLength(maxLine, aLine), v.regex(/^[ -~\u00a0-\uffff]+$/, aLine)),
    }),
    { line: 'help' },
  ),
  result: v.object({ success: v.literal(true), output: v.array(v.string()) }),
  example: { success: true, output: ['help: Lists the commands'] },
  problems: ['not_running', 'host_unavailable', 'unsupported'],
  async handle({ body: { line } }, { host }) {
    return { success: true as const, output: [...(await host.typeLine(line))] }
  },
})
