/** The client's live connection at the edge while the farm behind it is not linked. */
import { expect, onTestFinished, test } from 'vitest'
import { connect } from '../../client/index.ts'
import { eventually } from '../wait.ts'
import { edgeServer, linkFarm, linkKey } from './edge-server.ts'

test('live() has the state away while the farm is not linked, and is live again with the lines that are said after it is back', async () => {
  const server = await edgeServer()
  onTestFinished(() => server.stop())
  const { bridge, link, url, farm } = server
  await farm.join({ id: 7n, name: 'Abby' })
  const live = connect(server).live()
  onTestFinished(() => live.close())
  const said: string[] = []
  const states: string[] = []
  live.on('chat', ({ message }) => said.push(message))
  live.on('state', (state) => states.push(state))
  await eventually(() => expect(live.status?.isOnline).toBe(true))
  await farm.say(7n, 'before')
  await eventually(() => expect(said).toEqual(['before']))
  await link.close()
  await eventually(() => expect(live.state).toBe('away'))
  const again = linkFarm(bridge, url, linkKey)
  onTestFinished(() => again.close())
  await eventually(() => expect(live.state).toBe('live'))
  await farm.say(7n, 'after')
  await eventually(() => expect(said).toEqual(['before', 'after']))
  expect(states).toEqual(['live', 'away', 'live'])
})
