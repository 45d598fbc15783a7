/** The list of a fleet of a thousand linked farms. */
import { setTimeout as pause } from 'node:timers/promises'
import * as v from 'valibot'
import { median, startSubject } from '../measure.ts'

const farms = 1000
const lists = 50
/** Farms that are made at a time. */
const atOnce = 10
const madeFarm = v.object({ linkKey: v.string() })
const list = v.object({ farms: v.array(v.object({ linked: v.boolean() })) })

/**
 * Makes and links the farms, each with tags and a note, and lists them again and again.
 * @param url of an edge with that fleet key
 * @returns milliseconds of a list, and its bytes
 */
export async function listedFleet(
  url: string,
  fleetKey: string,
): Promise<{ readonly milliseconds: number; readonly bytes: number }> {
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${fleetKey}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`)
    return text
  }
  const subject = await startSubject(new URL('farms.ts', import.meta.url))
  const names = Array.from({ length: farms }, (_, at) => `farm-${at}`)
  const make = async () => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      const { linkKey } = v.parse(madeFarm, JSON.parse(await ask('PUT', `/farms/${name}`)))
      await subject.call('link', [`${url}/farms/${name}`], linkKey)
      await ask('PATCH', `/farms/${name}`, { tags: ['eu', 'paid'], note: 'Moves to a new machine in May' })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, make))
  const areLinked = async () =>
    v.parse(list, JSON.parse(await ask('GET', '/farms'))).farms.every(({ linked }) => linked)
  while (!(await areLinked())) await pause(1000)
  const times: number[] = []
  let bytes = 0
  for (let at = 0; at < lists; at += 1) {
    const began = performance.now()
    bytes = (await ask('GET', '/farms')).length
    times.push(performance.now() - began)
  }
  await subject.stop()
  return { milliseconds: median(times), bytes }
}
