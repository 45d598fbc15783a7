/** The common parts of all messages to Discord (https://discord.com/developers/docs/resources/message). */

/** Maximum of the UTF-16 code units of the content of a message. */
export const maxContent = 2000

/** Message flag SUPPRESS_EMBEDS: links are shown without a preview. */
export const suppressEmbeds = 4

/** A message with this mentions no one, whatever its text contains. */
export const noMentions = { allowed_mentions: { parse: [] } } as const

/** The text with Discord's Markdown, mentions and links escaped. */
export const withoutMarks = (text: string): string => text.replace(/[\\*_~`|>[\]()<#@]/g, '\\$&')

/** A text of at most so many UTF-16 code units; a longer one is cut and ends with an ellipsis. */
export const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`

/** A text of the maximum length of a message; a longer one ends with an ellipsis. */
export const contentOf = (text: string): string => shortened(text, maxContent)
