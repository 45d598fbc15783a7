/** Where the key is kept: for the tab, or on the device if that was asked for. */
import { keep, kept } from './browser-storage.ts'

const name = 'farmgate.key'

export const keptKey = (): string | undefined => kept('tab', name) ?? kept('device', name)

export function keepKey(key: string, onDevice: boolean): void {
  forgetKey()
  keep(onDevice ? 'device' : 'tab', name, key)
}

export function forgetKey(): void {
  keep('tab', name, undefined)
  keep('device', name, undefined)
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
