/** The text with Discord's Markdown, mentions and links escaped. */
export const withoutMarks = (text: string): string => text.replace(/[\\*_~`|>[\]()<#@]/g, '\\$&')
