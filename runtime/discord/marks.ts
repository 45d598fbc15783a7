/** The text without the effect of Discord's marks, mentions and links. */
export const withoutMarks = (text: string): string => text.replace(/[\\*_~`|>[\]()<#@]/g, '\\$&')
