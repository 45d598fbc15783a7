import { inject } from 'vitest'
import { askWithKey } from '../contract/request.ts'
import { rightStart, type Way } from '../contract/right-start.ts'

let farms = 0

/** A new farm at the shared edge. */
export async function linkedWay(): Promise<Way> {
  const { url: edge, fleetKey } = inject('sharedEdge')
  farms += 1
  const name = `right-${process.pid}-${farms}`
  const { json } = await askWithKey({ url: edge, key: fleetKey }, 'PUT', `/farms/${name}`)
  const { apiKey, linkKey } = json as { readonly apiKey: string; readonly linkKey: string }
  const url = `${edge}/farms/${name}`
  return { url, key: apiKey, env: { EDGE_URL: url, EDGE_LINK_KEY: linkKey } }
}

rightStart('at the edge', linkedWay)
