/** Draws the screenshot: sky by the hour, fields by the season, a house, the cabins and the players online. */
import { crc32, deflateSync } from 'node:zlib'
import type { Screenshot } from '../../handlers/game-records.ts'
import type { Month } from './calendar.ts'
import type { World } from './world.ts'

type Colour = readonly [red: number, green: number, blue: number]

const width = 160
const height = 90
const horizon = 30

const fields: Readonly<Record<Month, Colour>> = {
  spring: [122, 190, 84],
  summer: [82, 158, 60],
  fall: [196, 132, 52],
  winter: [226, 234, 242],
}
const skies: readonly (readonly [until: number, colour: Colour])[] = [
  [800, [246, 196, 150]],
  [1800, [132, 196, 240]],
  [2000, [236, 140, 96]],
  [2700, [28, 32, 72]],
]
const wall: Colour = [150, 92, 52]
const roof: Colour = [170, 48, 44]
const person: Colour = [64, 72, 200]

/** Worlds with the same text look the same. */
export const sceneOf = ({ timeOfDay, date, slots, visitors }: World): string =>
  [timeOfDay, date.season, slots.length, visitors.size].join()

/** Draws the world as it is now. Never throws. @returns a PNG in base64 with its size in pixels */
export function pictureOf(world: World): Screenshot {
  const data = new Uint8Array(width * height * 3)
  const box = (left: number, top: number, wide: number, high: number, colour: Colour) => {
    for (let y = Math.max(0, top); y < Math.min(height, top + high); y += 1)
      for (let x = Math.max(0, left); x < Math.min(width, left + wide); x += 1)
        data.set(colour, (y * width + x) * 3)
  }
  const house = (left: number, ground: number, size: number) => {
    for (let row = 0; row < size / 2; row += 1)
      box(left + size / 2 - row, ground - size + row, row * 2, 1, roof)
    box(left, ground - size / 2, size, size / 2, wall)
  }
  const sky = skies.find(([until]) => world.timeOfDay < until)?.[1] ?? [28, 32, 72]
  box(0, 0, width, horizon, sky)
  box(0, horizon, width, height - horizon, fields[world.date.season])
  house(110, 46, 24)
  for (const index of world.slots.keys()) house(6 + (index % 9) * 11, 60 + Math.floor(index / 9) * 10, 8)
  for (const index of [...world.visitors.keys()].keys())
    box(12 + (index % 14) * 10, 76 + (index % 3) * 4, 2, 4, person)
  return { success: true, base64Png: png(data).toString('base64'), width, height }
}

/** A PNG with 8 bits for each colour, row by row (https://www.w3.org/TR/png-3/). */
function png(data: Uint8Array): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2], 8)
  // Each row begins with its filter: none.
  const rows = Buffer.alloc(height * (1 + width * 3))
  for (let y = 0; y < height; y += 1)
    rows.set(data.subarray(y * width * 3, (y + 1) * width * 3), y * (1 + width * 3) + 1)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND')])
}

function chunk(type: string, content: Uint8Array = new Uint8Array()): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
