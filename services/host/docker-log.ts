/** The log of a container, as the Docker Engine API streams it with `timestamps=1`. */
import type { LogLine } from '../../handlers/host-record.ts'
import { lineSplitter } from './lines.ts'

export interface StampedLine {
  /** The engine's own time, RFC 3339, with as many digits as the engine keeps; missing in the rest of a long line. */
  readonly stamp?: string
  readonly text: string
}

const stamp = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)`
const stamped = new RegExp(`^(${stamp}) ?(.*)$`, 's')
/** Engines keep a long line in pieces, and podman any line that it read in pieces; each piece has its time in front. */
const within = new RegExp(`(?<=.)(${stamp}) `, 'gs')
/** Milliseconds between the pieces of one line, where no frames separate them. */
const sameLine = 5000
const [lineBreak, space] = [10, 32]

function stampedLine(line: string, isFramed: boolean): StampedLine {
  const [, at, text = ''] = stamped.exec(line) ?? []
  if (at === undefined || Number.isNaN(Date.parse(at))) return { text: line }
  const isOfPiece = (other: string) =>
    !isFramed && other.length === at.length && Math.abs(Date.parse(other) - Date.parse(at)) < sameLine
  return {
    stamp: at,
    // A terminal ends lines with \r\n.
    text: text.replace(within, (found, other: string) => (isOfPiece(other) ? '' : found)).replace(/\r+$/, ''),
  }
}

export const logLineOf = ({ stamp: at, text }: StampedLine): LogLine => ({
  ...(at !== undefined && { at: new Date(at).toISOString() }),
  text,
})

/**
 * Reads both forms of a stream. That of a container with a terminal is its text. Any other consists of frames: a byte
 * for the kind of output, three zeros, the length in four bytes, and the text. A text begins with the year of its
 * time, so the first byte shows the form.
 * @returns a function to feed with the stream @throws when a frame has an unknown kind
 */
export function dockerLog(heard: (line: StampedLine) => void): (bytes: Buffer) => void {
  let form: 'unknown' | 'text' | 'frames' = 'unknown'
  const line = (text: string) => heard(stampedLine(text, form === 'frames'))
  const outputs = Array.from({ length: 4 }, () => ({ ...lineSplitter(line), isWithin: false }))
  /** Whether the time of a further piece of a line is being read. */
  let isTime = false
  const header = Buffer.alloc(8)
  let ofHeader = 0
  let left = 0
  return (bytes) => {
    if (bytes.length === 0) return
    if (form === 'unknown') form = (bytes[0] ?? 0) < outputs.length ? 'frames' : 'text'
    if (form === 'text') return outputs[0]?.push(bytes)
    for (let at = 0; at < bytes.length; ) {
      const output = outputs[header[0] ?? 0]
      if (left > 0 && output !== undefined) {
        const part = bytes.subarray(at, at + left)
        const end = isTime ? part.indexOf(space) + 1 : 0
        if (!isTime || end > 0) output.push(part.subarray(end))
        isTime &&= end === 0
        output.isWithin = part.at(-1) !== lineBreak
        at += part.length
        left -= part.length
      } else {
        const copied = bytes.copy(header, ofHeader, at, at + header.length - ofHeader)
        at += copied
        ofHeader = (ofHeader + copied) % header.length
        if (ofHeader > 0) continue
        if (header.readUInt32BE(0) % 0x1000000 !== 0 || (header[0] ?? 0) >= outputs.length)
          throw new Error('this is not a log of the Docker Engine API')
        left = header.readUInt32BE(4)
        isTime = outputs[header[0] ?? 0]?.isWithin === true
      }
    }
  }
}

/**
 * Finds the new lines when the same log is read again. An engine takes whole seconds, and podman gives all lines of a
 * second the same time, so those with the newest time are counted.
 */
export function logPosition() {
  let newest = ''
  let count = 0
  return {
    /** The time of the newest line, seconds since 1970, for `since`. */
    get since() {
      return newest === '' ? 0 : Math.floor(Date.parse(newest) / 1000)
    },
    /** @returns for one reading of the log: whether a line is new; call it with each line in order */
    reading(): (line: StampedLine) => boolean {
      let known = count
      let isOld = newest !== ''
      return ({ stamp: at }) => {
        if (at === undefined) return !isOld
        if (isOld && (isBefore(at, newest) || (at === newest && known-- > 0))) return false
        isOld = false
        count = at === newest ? count + 1 : 1
        newest = at
        return true
      }
    },
  }
}

/** `Date` keeps milliseconds; times with the same number of digits compare as texts. */
const isBefore = (one: string, other: string) =>
  one.length === other.length ? one < other : Date.parse(one) < Date.parse(other)
