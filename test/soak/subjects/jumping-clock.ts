/** Loaded before everything else: the wall clock of this process jumps by as many milliseconds as its parent sends. */
const RealDate = Date
let offset = 0
process.on('message', (milliseconds) => {
  if (typeof milliseconds === 'number') offset += milliseconds
})
// The listener must not keep the process alive.
process.channel?.unref()

globalThis.Date = class extends RealDate {
  constructor(...given: [] | [number | string | Date]) {
    const [value] = given
    super(value === undefined ? RealDate.now() + offset : value)
  }
  static override now = () => RealDate.now() + offset
} as DateConstructor
