import { endpoint } from '../endpoint.ts'
import { modList } from '../mod-record.ts'

export const mods = endpoint('GET /mods', {
  at: 'farm',
  scope: 'read',
  tag: 'Mods',
  operationId: 'getMods',
  summary: 'The mods of the game server, by name, and what is wrong with them',
  result: modList,
  example: {
    mods: [
      {
        id: 'Abby.MoreSeeds',
        folder: 'More Seeds',
        name: 'More Seeds',
        version: '1.2.0',
        author: 'Abby',
        enabled: true,
        kind: 'content',
        contentFor: 'Pathoschild.ContentPatcher',
        dependencies: [],
        side: 'players',
        problems: [
          {
            code: 'dependency_missing',
            of: 'Pathoschild.ContentPatcher',
            message: 'It needs Pathoschild.ContentPatcher, which is not installed',
          },
        ],
      },
    ],
    restartNeeded: false,
    access: 'rw',
  },
  problems: ['unsupported', 'disk_failed'],
  handle: (_request, { mods: port }) => port.mods(),
})
