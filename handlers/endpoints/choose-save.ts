import * as v from 'valibot'
import { endpoint } from '../endpoint.ts'
import { withoutKey } from '../key-holder.ts'
import { optional, shortText } from '../parameter.ts'
import { Problem } from '../problem.ts'
import { saveHost } from '../save-host.ts'
import { chosenSave } from '../save-record.ts'
import { saveBudgets } from '../saves.ts'
import { loadBody, operationExample, operationRunning } from './host-actions.ts'

export const chooseSave = endpoint('POST /saves/choose', {
  at: 'farm',
  scope: 'admin',
  tag: 'Saves',
  operationId: 'chooseSave',
  summary:
    'Makes the game load a save while no one is connected; what was played since the last night is lost',
  parameters: {
    name: shortText(128, { description: 'The name of the save', example: 'Clover_123456789' }),
    hostTo: optional({
      description:
        'Who plays the farmer of the host of a save that a person has hosted: the Steam64 or GOG id of that person, or `server`, which takes the farmer over for good',
      example: '76561198385195600',
      read: (value: string) => (/^([0-9]{1,20}|server)$/.test(value) ? value : undefined),
      expected: 'an id of 1 to 20 digits, or server',
      required: true,
      schema: { type: 'string', pattern: '^([0-9]{1,20}|server)$' },
    }),
  },
  body: loadBody,
  status: 202,
  existed: ({ operation }) => operation === undefined,
  result: v.object({ success: v.literal(true), ...chosenSave.entries }),
  example: {
    success: true,
    message: 'The game plays Clover, summer 5, year 1',
    output: ["Imported 'Clover_123456789' as-is. Reloading to apply…"],
    operation: { ...operationExample, action: 'load_save' as const },
  },
  budget: saveBudgets.choose,
  problems: [
    'save_not_found',
    'players_connected',
    'save_in_progress',
    'saves_locked',
    'not_running',
    'save_refused',
    'host_undecided',
    'host_unavailable',
    'unsupported',
    'disk_failed',
  ],
  problemMembers: [
    operationRunning,
    {
      code: 'unsupported',
      schema: v.object({ line: v.optional(v.string()) }),
      example: { line: 'saves import Clover_123456789 --reload' },
    },
    {
      code: 'host_undecided',
      schema: v.object({ host: v.optional(saveHost) }),
      example: { host: { name: 'Robin', isServer: false } },
    },
  ],
  async handle({ query: { name, hostTo }, body: request, holder: { id, name: of } = withoutKey }, { saves }) {
    const chosen = await saves.chooseSave(name, hostTo, {
      request: { ...request, force: false },
      by: { id, name: of },
    })
    if (chosen === undefined) throw new Problem('save_not_found', 'Save not found')
    if ('line' in chosen)
      throw new Problem(
        'unsupported',
        `farmgate cannot type at the game's console: set GAME_HOST to docker or pelican, or type this line there: ${chosen.line}`,
        { beside: chosen },
      )
    return { success: true as const, ...chosen }
  },
})
