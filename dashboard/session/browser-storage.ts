/**
 * Texts that the browser keeps, until the tab is closed or on the device. Storage can be turned off, and then throws:
 * nothing is kept then.
 */
type Place = 'tab' | 'device'

const storageOf = (place: Place): Storage => (place === 'tab' ? sessionStorage : localStorage)

export function kept(place: Place, name: string): string | undefined {
  try {
    return storageOf(place).getItem(name) ?? undefined
  } catch {
    return undefined
  }
}

/** @param text undefined removes it */
export function keep(place: Place, name: string, text: string | undefined): void {
  try {
    if (text === undefined) storageOf(place).removeItem(name)
    else storageOf(place).setItem(name, text)
  } catch {
    // Without storage the text is kept as long as the page is open.
  }
}
