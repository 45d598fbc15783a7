/** A start fills the heap with what is needed only once, and V8 keeps this room in a process that is idle. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Milliseconds: clients that waited for the start have their answers by then. */
const settled = 5000

/** Returns the memory of the start to the system, once: some 10 MiB of a process. Blocks this thread for about 30 ms. */
export function returnStartMemory(after = settled): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc')
    const collect: (how: object) => void = runInNewContext('gc')
    // Only this flavor also shrinks the room for new objects.
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  }, after).unref()
}
