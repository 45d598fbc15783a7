/**
 * Loaded before everything else, in each thread: the wall clock of this process jumps by as many milliseconds as its parent
 * sends.
 */
import { BroadcastChannel, isMainThread } from 'node:worker_threads'

const RealDate = Date
let offset = 0
/** Only the main thread receives messages of the parent. */
const otherThreads = new BroadcastChannel('jumps of the clock')
const jump = (milliseconds: unknown) => {
  if (typeof milliseconds === 'number') offset += milliseconds
}
if (isMainThread)
  process.on('message', (milliseconds) => {
    jump(milliseconds)
    otherThreads.postMessage(milliseconds)
  })
else otherThreads.onmessage = (message) => jump(message.data)
otherThreads.unref()
// The listener must not keep the process alive.
process.channel?.unref()

globalThis.Date = class extends RealDate {
  constructor(...given: [] | [number | string | Date]) {
    const [value] = given
    super(value === undefined ? RealDate.now() + offset : value)
  }
  static override now = () => RealDate.now() + offset
} as DateConstructor
