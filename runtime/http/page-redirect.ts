/** Pages have relative links: redirects to the address, with or without a slash at its end, from which they work. */
import { type Answer, emptyAnswer } from './answer.ts'

/** Whether a browser asks for a page. For other clients `/` is an unknown path. */
export const wantsPage = (method: string, accept: string | null | undefined): boolean =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(accept ?? '')

/** Redirects to the same address with a slash after it. @param path the last part of the address, without slashes */
export const withSlash = (path: string): Answer => emptyAnswer(308, { Location: `${path}/` })

/** Redirects to the same address without the slash after it. @param path without that slash */
export const withoutSlash = (path: string): Answer =>
  emptyAnswer(308, { Location: `../${path.slice(path.lastIndexOf('/') + 1)}` })
