import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { cabins as record } from '../game-records.ts'

export const cabins = endpoint('GET /cabins', {
  scope: 'read',
  tag: 'Cabins',
  operationId: 'getCabins',
  summary: docs('Cabins with their tiles and owners'),
  result: record,
  example: docs({
    strategy: 'CabinStack',
    totalCount: 2,
    assignedCount: 1,
    availableCount: 1,
    cabins: [
      {
        tileX: -20,
        tileY: -20,
        isHidden: true,
        type: 'CabinStack',
        ownerId: 6208260877024290921n,
        ownerName: 'Abby',
        isAssigned: true,
      },
      {
        tileX: -20,
        tileY: -20,
        isHidden: true,
        type: 'CabinStack',
        ownerId: 0n,
        ownerName: '',
        isAssigned: false,
      },
    ],
    savedPositionPlayerIds: [],
  }),
  handle: (_request, { game }) => game.cabins(),
})
