/** An invalid archive; the message says how. */
export class BrokenArchive extends Error {
  override readonly name = 'BrokenArchive'
}
