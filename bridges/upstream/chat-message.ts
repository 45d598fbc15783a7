/** The messages of the game's `/ws` that farmgate uses; all others are ignored. */

import * as v from 'valibot'
import { readForeign } from '../../lib/foreign/read.ts'

const message = v.variant('type', [
  v.looseObject({ type: v.literal('auth_success') }),
  v.looseObject({ type: v.literal('auth_failed') }),
  v.looseObject({ type: v.literal('pong') }),
  v.object({
    type: v.literal('chat'),
    payload: v.object({ playerName: v.string(), message: v.string(), timestamp: v.optional(v.string(), '') }),
  }),
])

/** @returns undefined for any other text */
export function readChatMessage(text: string): v.InferOutput<typeof message> | undefined {
  return readForeign(message, text)
}
