import { expect, inject, test } from 'vitest'
import { connect } from '../../client/index.ts'
import { askWithKey } from '../contract/request.ts'
import { rightStartCalls, type Way } from '../contract/right-start.ts'
import { hostedGame } from '../game-server/hosted-game.ts'
import { pointTo } from '../game-server/saved-game.ts'
import { openedFarm } from '../runtime/node/open-farm.ts'
import { eventually } from '../wait.ts'

let farms = 0

/** A new farm at the shared edge. */
async function linkedWay(): Promise<Way> {
  const { url: edge, fleetKey } = inject('sharedEdge')
  farms += 1
  const name = `right-${process.pid}-${farms}`
  const { json } = await askWithKey({ url: edge, key: fleetKey }, 'PUT', `/farms/${name}`)
  const { apiKey, linkKey } = json as { readonly apiKey: string; readonly linkKey: string }
  const url = `${edge}/farms/${name}`
  return { url, key: apiKey, env: { EDGE_URL: url, EDGE_LINK_KEY: linkKey } }
}

rightStartCalls('at the edge', linkedWay)

test('an action of the fleet that would create a new farm fails with the sentence, which the list of operations shows', async () => {
  const { url: edge, fleetKey } = inject('sharedEdge')
  const { url = '', key = '', env } = await linkedWay()
  const { env: own, savesDir, asked } = await hostedGame()
  await openedFarm({ ...own, ...env })
  const farm = connect({ url, key })
  await eventually(async () => expect(await farm.status()).toMatchObject({ farmName: 'Clover' }))
  pointTo(savesDir, 'Gone_5')
  const fleet = { url: edge, key: fleetKey }
  const name = url.slice(url.lastIndexOf('/') + 1)
  const begun = await askWithKey(fleet, 'POST', '/farms/actions', {
    json: {
      action: 'restart',
      farms: [name],
      arguments: { warnMinutes: [], backup: false },
    },
  })
  expect(begun.status).toBe(202)
  const error = expect.stringMatching(/would create a new farm: .*Gone_5.*POST \/saves\/choose/)
  await eventually(async () => {
    const { json } = await askWithKey(fleet, 'GET', `/farms/actions?id=${Object(begun.json).id}`)
    expect(json).toMatchObject({
      state: 'ended',
      outcomes: [{ farm: name, outcome: 'failed', detail: error }],
    })
  })
  expect((await farm.hostOperations()).operations).toMatchObject([
    { action: 'restart', state: 'failed', error },
  ])
  expect(asked).toEqual([])
})
