/** The answer of an endpoint that sends a browser to another page. */
import * as v from 'valibot'

export const cookieValue = /^[\w-]{1,200}$/
/** Between the values of one cookie. */
export const cookieSeparator = '.'

export const redirect = v.object({
  /** An absolute address. */
  location: v.pipe(v.string(), v.maxLength(8192), v.regex(/^https?:\/\/[\x21-\x7e]+$/)),
  /** A cookie of this farm: of a sign-in that has begun, or of a session. */
  cookie: v.exactOptional(
    v.object({
      of: v.picklist(['attempt', 'session']),
      value: v.pipe(v.string(), v.regex(cookieValue)),
    }),
  ),
})
export type Redirect = v.InferOutput<typeof redirect>
