/** A farm whose `EDGE_URL` names several addresses. */
import { expect, onTestFinished, test } from 'vitest'
import { type LogLine, recorder } from '../logs.ts'
import { eventually } from '../wait.ts'
import { anEdge } from './an-edge.ts'
import { linkFarm, linkKey, steeredFarm } from './edge-server.ts'
import { wireTo } from './wire.ts'

async function twoWires() {
  const { url } = await anEdge()
  const wires = [await wireTo(url), await wireTo(url)] as const
  onTestFinished(() => Promise.all(wires.map((wire) => wire.stop())).then(() => undefined))
  return wires
}

function dial(urls: readonly string[]) {
  const farm = steeredFarm()
  const lines: LogLine[] = []
  const link = linkFarm(farm, urls, linkKey, recorder(lines))
  onTestFinished(async () => {
    await link.close()
    await farm.close()
  })
  const linkedTo = () =>
    lines.filter(({ message }) => message === 'linked to the edge').map(({ fields }) => fields)
  return { link, linkedTo }
}

const at = (wire: { readonly url: string }) => expect.objectContaining({ address: new URL(wire.url).host })

test('the addresses are tried in turn until one works, which is the first to be tried after a loss', async () => {
  const [first, second] = await twoWires()
  first.refuse(true)
  const { link, linkedTo } = dial([first.url, second.url])
  await eventually(() => expect(link.isOpen).toBe(true))
  expect([linkedTo(), first.refused]).toEqual([[at(second)], 1])

  first.refuse(false)
  second.cut()
  await eventually(() => expect(linkedTo()).toHaveLength(2))
  expect(linkedTo()).toEqual([at(second), at(second)])
})

test('when the address that worked is unreachable, the link opens at the next one', async () => {
  const [first, second] = await twoWires()
  const { link, linkedTo } = dial([first.url, second.url])
  await eventually(() => expect(link.isOpen).toBe(true))
  first.refuse(true)
  first.cut()
  await eventually(() => expect(linkedTo()).toEqual([at(first), at(second)]))
})
