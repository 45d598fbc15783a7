/** Text for a terminal: names and chat lines of players are made harmless here, and only here. */
import { styleText } from 'node:util'
import { harmful } from '../../lib/harmless-text.ts'

export type Style = Parameters<typeof styleText>[0] & string

interface Painted {
  readonly style: Style
  readonly text: Text
}

/** The output of commands. Its characters are shown as they are, so colours are separate from them. */
export type Text = string | Painted | readonly Text[]

export const paint = (style: Style, text: Text): Painted => ({ style, text })

/** @returns the characters without styles, made harmless */
export const plain = (text: Text): string => rendered(text, false)

/** @returns the text as it is written to the terminal */
export function rendered(text: Text, hasColours: boolean): string {
  if (typeof text === 'string') return harmless(text)
  if ('style' in text) {
    const inner = rendered(text.text, hasColours)
    return hasColours ? styleText(text.style, inner, { validateStream: false }) : inner
  }
  return text.map((part) => rendered(part, hasColours)).join('')
}

/** A text that shows nothing but its characters, on one line: anything else is shown as `�`. */
const harmless = (text: string): string => text.replaceAll(harmful, '\ufffd')
