/** The log of a container in both forms, as Docker writes it with nine digits and podman with none. */
import { describe, expect, test } from 'vitest'
import { dockerLog, logLineOf, logPosition, type StampedLine } from '../../../services/host/docker-log.ts'

/** One frame. @param output 1 or 2 */
function frame(output: number, ...parts: readonly (string | Buffer)[]): Buffer {
  const text = Buffer.concat(parts.map((part) => Buffer.from(part)))
  const header = Buffer.alloc(8)
  header[0] = output
  header.writeUInt32BE(text.length, 4)
  return Buffer.concat([header, text])
}

/** @param pieces how many bytes arrive at once */
function linesOf(stream: Buffer, pieces: number): readonly StampedLine[] {
  const heard: StampedLine[] = []
  const feed = dockerLog((line) => heard.push(line))
  for (let at = 0; at < stream.length; at += pieces) feed(stream.subarray(at, at + pieces))
  return heard
}

const at = (second: number, digits = '.000000001') => `2026-11-23T04:19:0${second}${digits}Z`

describe.each([1, 7, 100_000])('a log that arrives %i bytes at a time', (pieces) => {
  test('as text has the lines with their times', () => {
    const stream = Buffer.from(`${at(1)} one\r\n${at(2)} zwei ü\r\n${at(3)} \r\n`)
    expect(linesOf(stream, pieces)).toEqual([
      { stamp: at(1), text: 'one' },
      { stamp: at(2), text: 'zwei ü' },
      { stamp: at(3), text: '' },
    ])
  })

  test('in frames has the lines of both outputs, also those that another output interrupts', () => {
    const stream = Buffer.concat([
      frame(1, `${at(1)} one\n`),
      frame(1, `${at(2)} half`),
      frame(2, `${at(2)} error\n`),
      frame(1, `${at(3)}  a line\n`),
      frame(1, ''),
      frame(1, `${at(4)} two\n${at(5)} three\n`),
    ])
    expect(linesOf(stream, pieces).map(({ text }) => text)).toEqual([
      'one',
      'error',
      'half a line',
      'two',
      'three',
    ])
  })

  test('has a long line without the times in front of its pieces', () => {
    const long = 'x'.repeat(8000)
    const first = at(1, '.100000001')
    const stream = Buffer.from(`${first} ${long}${at(1, '.200000001')} ${long}\n`)
    expect(linesOf(stream, pieces)).toEqual([{ stamp: first, text: `${long}${long}` }])
  })

  test('in frames has a line in pieces whole, however late they come and wherever they are cut', () => {
    const letter = Buffer.from('ü')
    const stream = Buffer.concat([
      frame(1, `${at(1)} ${at(1)} gr`, letter.subarray(0, 1)),
      frame(1, `${at(9, '')} `, letter.subarray(1)),
      frame(1, `${at(9)} n\n`),
    ])
    expect(linesOf(stream, pieces)).toEqual([{ stamp: at(1), text: `${at(1)} grün` }])
  })
})

test('a time that the game itself printed stays', () => {
  const [line] = linesOf(Buffer.from(`${at(1)} day ends ${at(9)} and 2026-11-23T04:19:01Z too\n`), 1000)
  expect(line?.text).toBe(`day ends ${at(9)} and 2026-11-23T04:19:01Z too`)
})

test('a frame of an unknown kind is refused', () => {
  const broken = frame(1, 'x')
  broken[1] = 1
  expect(() => dockerLog(() => undefined)(broken)).toThrow('not a log')
})

test('the time of a line is ISO 8601 with milliseconds, whatever digits and zone the engine writes', () => {
  for (const stamp of ['2026-11-23T04:19:01.123456789Z', '2026-11-23T05:19:01.123+01:00'])
    expect(logLineOf({ stamp, text: 'a' })).toEqual({ at: '2026-11-23T04:19:01.123Z', text: 'a' })
  expect(logLineOf({ text: 'a' })).toEqual({ text: 'a' })
})

describe('a log that is read again', () => {
  const line = (stamp: string, text: string): StampedLine => ({ stamp, text })
  const read = (position: ReturnType<typeof logPosition>, lines: readonly StampedLine[]) =>
    lines.filter(position.reading()).map(({ text }) => text)

  test.each([
    ['nine digits', '.000000001'],
    ['no digits', ''],
  ])('has each line once, where the times have %s', (_, digits) => {
    const position = logPosition()
    const all = [
      line(at(1, digits), 'a'),
      line(at(1, digits), 'b'),
      line(at(2, digits), 'c'),
      line(at(2, digits), 'c'),
      line(at(2, digits), 'd'),
      line(at(3, digits), 'e'),
    ]
    expect(position.since).toBe(0)
    expect(read(position, all.slice(0, 4))).toEqual(['a', 'b', 'c', 'c'])
    expect(position.since).toBe(Date.parse('2026-11-23T04:19:02Z') / 1000)
    // The engine sends whole seconds again.
    expect(read(position, all.slice(2, 5))).toEqual(['d'])
    expect(read(position, all.slice(2))).toEqual(['e'])
    expect(read(position, all)).toEqual([])
  })

  test('continues with a clock that was set back', () => {
    const position = logPosition()
    read(position, [line(at(5), 'a')])
    expect(read(position, [line(at(5), 'a'), line(at(6), 'b'), line(at(2), 'c')])).toEqual(['b', 'c'])
  })

  test('continues after lines that the engine has deleted', () => {
    const position = logPosition()
    read(position, [line(at(1), 'a'), line(at(2), 'b')])
    expect(read(position, [line(at(4), 'd')])).toEqual(['d'])
  })
})
