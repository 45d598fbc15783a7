import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { screenshot as record } from '../game-records.ts'

export const screenshot = endpoint('GET /screenshot', {
  scope: 'read',
  tag: 'Diagnostics',
  operationId: 'getScreenshot',
  summary: docs("The host's display as a PNG in base64; 200 with `success:false` when it cannot be taken"),
  result: record,
  example: docs({ success: true, base64Png: 'iVBORw0KGgo=', width: 1280, height: 720 }),
  problems: ['unsupported'],
  handle: (_request, { game }) => game.screenshot(),
})
