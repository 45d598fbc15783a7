/**
 * farmgate's answers to Discord
 * (https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-response-object).
 */
import { stringifyJson } from '../../lib/json.ts'
import { contentOf, noMentions, suppressEmbeds, withoutMarks } from './message.ts'

/** A message that answers a command. */
export interface Reply {
  /** Text with Discord's Markdown, cut at 2,000 UTF-16 code units. */
  readonly text: string
  /** Only the member who gave the command sees it. */
  readonly isPrivate: boolean
}

/** A sentence without Markdown, only for the member who gave the command. */
export const refusal = (sentence: string): Reply => ({ text: withoutMarks(sentence), isPrivate: true })

export const notBound = refusal(
  'This Discord server is not bound to a farm. An operator of the farm makes a code with: farmgate discord code',
)
export const wrongCode = 'This code is wrong, was used, or has expired.'

const ephemeral = 64

const message = ({ text }: Reply) => ({ content: contentOf(text), flags: suppressEmbeds, ...noMentions })

/** Answers a ping of Discord; like the bodies below it is JSON. */
export const pong = (): string => stringifyJson({ type: 1 })

/** A message with the flag for who sees it. */
const shown = (reply: Reply) => {
  const { flags, ...rest } = message(reply)
  return { ...rest, flags: reply.isPrivate ? flags | ephemeral : flags }
}

export const replied = (reply: Reply): string => stringifyJson({ type: 4, data: shown(reply) })

/** Discord shows “thinking” until `lateReplies` sends the message. */
export const deferred = (isPrivate: boolean): string =>
  stringifyJson({ type: 5, ...(isPrivate && { data: { flags: ephemeral } }) })

/** The body that completes a deferred answer, which stays as private as it was deferred. */
export const completion = (reply: Reply): string => stringifyJson(message(reply))

/** The body of a separate message. */
export const followUp = (reply: Reply): string => stringifyJson(shown(reply))
