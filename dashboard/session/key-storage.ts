/** Where the key is kept: for the tab, or on the device if that was asked for. */
const name = 'farmgate.key'

/** Storage can be switched off, and then throws: the key then lasts as long as the page. */
function stored(read: () => string | null): string | undefined {
  try {
    return read() ?? undefined
  } catch {
    return undefined
  }
}

export const keptKey = (): string | undefined =>
  stored(() => sessionStorage.getItem(name)) ?? stored(() => localStorage.getItem(name))

export function keepKey(key: string, onDevice: boolean): void {
  forgetKey()
  stored(() => {
    ;(onDevice ? localStorage : sessionStorage).setItem(name, key)
    return null
  })
}

export function forgetKey(): void {
  for (const storage of [() => sessionStorage, () => localStorage])
    stored(() => {
      storage().removeItem(name)
      return null
    })
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
