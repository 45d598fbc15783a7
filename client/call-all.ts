/**
 * Calls each listener, also after one that throws. Its error is thrown where no one catches it, as that of a listener
 * of an EventTarget is: `uncaughtException` on Node, `window.onerror` in a browser.
 */
export function callAll<Item>(listeners: ReadonlySet<(item: Item) => void>, item: Item): void {
  for (const listener of listeners)
    try {
      listener(item)
    } catch (error) {
      queueMicrotask(() => {
        throw error
      })
    }
}
