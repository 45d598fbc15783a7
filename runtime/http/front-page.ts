/** Who gets the page at the root, and where its relative links work. */
import { type Answer, emptyAnswer } from './answer.ts'

/** Whether a browser asks for a page to show; for programs there is nothing at the root. */
export const wantsPage = (method: string, accept: string | null | undefined): boolean =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(accept ?? '')

/** To the same address with a slash behind it. @param path the last part of that address, without slashes */
export const withSlash = (path: string): Answer => emptyAnswer(308, { Location: `${path}/` })
