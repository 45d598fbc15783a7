/**
 * The place of this farm's key: for the tab, or on the device if the user asked for it. Farms of one origin share the
 * storage of the browser, so the name has the farm's path.
 */
import { keep, kept } from './browser-storage.ts'

/** The earlier name without a path, which does not show the farm of the key. */
const oldName = 'farmgate.key'
/** @param path of a farm, which begins and ends with a slash */
export const storageName = (path: string) => `${oldName}:${path}`
const name = storageName(new URL('.', location.href).pathname)

const places = ['tab', 'device'] as const

export const keptKey = (): string | undefined => kept('tab', name) ?? kept('device', name)

/** The key under the old name. It may belong to another farm of this origin. */
export const oldKey = (): string | undefined => kept('tab', oldName) ?? kept('device', oldName)

export function keepKey(key: string, onDevice: boolean): void {
  forgetKey()
  keep(onDevice ? 'device' : 'tab', name, key)
}

/** Replaces the stored one, and is stored as long as it. */
export function replaceKey(key: string): void {
  keepKey(key, kept('tab', name) === undefined && kept('device', name) !== undefined)
}

/** The key under the old name is one of this farm: it moves to the farm's own name, for as long as before. */
export function adoptOldKey(): void {
  for (const place of places) {
    const key = kept(place, oldName)
    if (key !== undefined) keep(place, name, key)
    keep(place, oldName, undefined)
  }
}

export function forgetKey(): void {
  for (const place of places) keep(place, name, undefined)
}

/**
 * Takes the key out of an address that ends with `#key=…`, as the demo prints one. It leaves the address bar and the
 * history of the tab at once.
 */
export function takeKeyFromAddress(): string | undefined {
  const [, found] = /^#key=(.+)$/.exec(location.hash) ?? []
  if (found === undefined) return undefined
  history.replaceState(null, '', location.pathname + location.search)
  try {
    return decodeURIComponent(found)
  } catch {
    return found
  }
}
