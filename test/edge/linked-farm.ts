/** Farms that a test links to its edge. */
import { expect, onTestFinished } from 'vitest'
import type { OwnRecords } from '../../services/records/own-records.ts'
import { steeredFarm } from '../bridges/simulated/steered-farm.ts'
import { askWithKey } from '../contract/request.ts'
import { memoryFarm } from '../records/memory-records.ts'
import { eventually } from '../wait.ts'
import { fleetKey, type LinkOptions, linkFarm } from './edge-server.ts'

/** Called with what ends a farm and its link. */
type AtEnd = (end: () => Promise<void>) => void

/** A farm that dials an edge until the test has ended. */
export function diallingFarm(
  url: string | readonly string[],
  key: string,
  options: LinkOptions = {},
  game = steeredFarm(),
  atEnd: AtEnd = onTestFinished,
) {
  const link = linkFarm(game, url, key, options)
  atEnd(async () => {
    await link.close()
    await game.close()
  })
  return { game, link }
}

/** The same, once its link is open. */
export async function linkedFarm(...dialled: Parameters<typeof diallingFarm>) {
  const farm = diallingFarm(...dialled)
  await eventually(() => expect(farm.link.isOpen).toBe(true))
  return farm
}

/** Creates a farm of a fleet, unless it is there. @param url of the edge @returns the keys of a new one */
export async function createFarm(url: string, name: string) {
  const { status, json } = await askWithKey({ url, key: fleetKey }, 'PUT', `/farms/${name}`)
  expect([200, 201]).toContain(status)
  return json as { readonly apiKey: string; readonly linkKey: string }
}

/**
 * Creates a farm of a fleet, and links it with records and named keys of its own.
 * @param edge its address @param options for the farm with these records, at its own address
 */
export async function fleetFarm(
  edge: string,
  name: string,
  options: (records: OwnRecords, url: string) => LinkOptions = () => ({}),
) {
  const { apiKey, linkKey } = await createFarm(edge, name)
  const { records, keys } = await memoryFarm()
  const url = `${edge}/farms/${name}`
  const own = { records: records.of('edge'), keys, ...options(records, url) }
  return { ...(await linkedFarm(url, linkKey, own)), url, apiKey, records }
}
