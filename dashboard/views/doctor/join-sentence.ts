import { language } from '../../texts/texts.ts'
import { chineseOf } from './join-chinese.ts'

/** A sentence of `GET /join` in the language of the page; one that is unknown here stays in English. */
export const joinSentence = (sentence: string): string =>
  language.value === 'zh' ? (chineseOf(sentence) ?? sentence) : sentence
