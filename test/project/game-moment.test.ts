import { globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readText } from '../compose.ts'

/** The wire form of a status, and what reads it from the API. */
const onTheWire = [
  'handlers/endpoints/health.ts',
  'handlers/endpoints/status.ts',
  'handlers/endpoints/wait-status.ts',
  'handlers/game-bridge.ts',
  'handlers/game-records.ts',
  'handlers/wait-parameters.ts',
]

test('outside of the bridges only one function reads whether a night is running', () => {
  const read = globSync('{handlers,runtime,services,ticket,own-edge,cli,dashboard}/**/*.{ts,tsx}')
    .filter((file) => !onTheWire.includes(file))
    .filter((file) => /\b(dayTransitionComplete|isStale)\b/.test(readText(file)))
  expect(read).toEqual(['handlers/game-moment.ts'])
})
