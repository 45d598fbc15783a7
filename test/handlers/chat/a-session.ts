/** States, rules and messages for tests of a client's state machine. */
import { expect } from 'vitest'
import { step } from '../../../handlers/chat/client-session.ts'
import { type Allowance, fullAllowance } from '../../../handlers/chat/rates.ts'
import type { ChatInput, ChatRules, ChatState } from '../../../handlers/chat/session-steps.ts'
import { apiKeyHolder } from '../../../handlers/key-holder.ts'

export const key = 'the right key'
export const holder = apiKeyHolder()
export const withKey: ChatRules = {
  keyRequired: true,
  verify: (token) => (token === key ? holder : token === 'again' ? 'limited' : 'wrong'),
  current: (known) => known,
  isGameOffline: () => false,
  hasPlace: () => true,
  takeLines: () => true,
}
export const whileOffline: ChatRules = { ...withKey, isGameOffline: () => true }
export const withoutKey: ChatRules = {
  ...withKey,
  keyRequired: false,
  verify: () => expect.fail('no key is set'),
}
export const opening = (left: Partial<Allowance> = {}, stays = false) =>
  ({ phase: 'open', stays, allowance: { ...fullAllowance, ...left }, holder }) satisfies ChatState
export const open = opening()
export const staying = opening({}, true)
/** After one message `auth` or `subscribe`. */
export const asked = (stays = false) => opening({ requests: 19 }, stays)
export const text = (message: unknown, at = 0): ChatInput => ({
  type: 'text',
  text: typeof message === 'string' ? message : JSON.stringify(message),
  at,
})
/** What an authenticated client is answered. */
export const send = (message: unknown, state: ChatState = open, at = 0) =>
  step(state, text(message, at), withKey)
export const say = (author: string, message: string) => ({
  type: 'chat_send',
  payload: { author, message },
})
export const errorCode = (sent: string | undefined) => JSON.parse(sent ?? '{}').payload?.code
/** Every message but `auth`. */
export const others: readonly ChatInput[] = [
  text({ type: 'ping' }),
  text({ type: 'chat_send', payload: { author: 'a', message: 'b' } }),
  text({ type: 'subscribe', payload: { topics: ['players'] } }),
  text({ type: 'nothing' }),
  text('{'),
  text(''),
  { type: 'binary' },
]
