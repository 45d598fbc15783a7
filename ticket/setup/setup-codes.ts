import { createHash, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import type { BoundCode, BoundCodeFile } from './bound-code-file.ts'

/** A code of 32 random bytes, and the digests of the code and of the cookie of the browser that uses it. */
interface LiveCode {
  readonly digest: Buffer
  readonly browser: Buffer | undefined
  /** By `Clock.monotonic`. */
  readonly endsAt: number
  /** Set for a code that this process has made and logged: makes the log forget it. */
  readonly forget?: () => void
}

/** What a request with a code may do; `cookie` is new and binds the browser. */
export type Judged =
  | { readonly isBound: true; readonly cookie?: string }
  | { readonly isBound: false; readonly because: 'missing' | 'wrong' | 'other_browser' }

interface CodeParts {
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'after'>
  readonly randomBytes: (size: number) => Buffer
  readonly file: BoundCodeFile
  /**
   * Logs a new code. The only place that receives its text.
   * @returns called once the code has ended
   */
  announce(code: string): () => void
}

/** Milliseconds. */
const lifetime = 3_600_000

/**
 * The codes of the set-up in the browser: at most the newest, and one that a browser used before a restart. No code ends
 * because of a wrong one: 256 bits cannot be guessed, and anyone can send wrong codes. Nothing is kept of an ended code.
 */
export function setupCodes({ clock, randomBytes, file, announce }: CodeParts) {
  const stored = file.read()
  let codes: LiveCode[] = stored === undefined ? [] : restored(stored)
  let last: LiveCode | undefined
  let isOpen = false
  let cancel = () => {}

  function restored({ digest, browser, endsAt }: BoundCode): LiveCode[] {
    const left = Math.min(endsAt - clock.now(), lifetime)
    if (left <= 0) return []
    const parts = { digest: Buffer.from(digest, 'hex'), browser: Buffer.from(browser, 'hex') }
    return [{ ...parts, endsAt: clock.monotonic() + left }]
  }

  const end = (over: readonly LiveCode[]) => {
    for (const { forget } of over) forget?.()
    codes = codes.filter((code) => !over.includes(code))
  }
  const hasEnded = ({ endsAt }: LiveCode) => endsAt <= clock.monotonic()

  /** Ends what is over, and makes the next code. */
  const renew = () => {
    end(codes.filter(hasEnded))
    if (last !== undefined && hasEnded(last)) last = undefined
    if (isOpen && !codes.some(({ forget }) => forget !== undefined)) {
      const code = randomBytes(32).toString('base64url')
      const endsAt = clock.monotonic() + lifetime
      codes = [...codes, { digest: digestOf(code), browser: undefined, endsAt, forget: announce(code) }]
    }
    cancel()
    const ends = [...codes, ...(last === undefined ? [] : [last])].map(({ endsAt }) => endsAt)
    if (ends.length > 0) cancel = clock.after(Math.min(...ends) - clock.monotonic(), renew)
  }

  const isCode = (code: string | undefined) => (one: LiveCode) =>
    code !== undefined && timingSafeEqual(one.digest, digestOf(code))

  return {
    /** Makes a code and logs it, unless one that was logged is valid; a new one follows when it ends. */
    open() {
      isOpen = true
      last = undefined
      renew()
    },
    /** Ends all codes. The browser that used one can ask `wasLast` once. */
    finish() {
      isOpen = false
      last = codes.find(({ browser }) => browser !== undefined) ?? last
      end(codes)
      file.remove()
      renew()
    },
    /** Whether it is a code that has not ended, in any browser. */
    isRight: (code: string | undefined): boolean =>
      [...codes, ...(last === undefined ? [] : [last])].some(isCode(code)),
    /** Checks a code and the cookie that came with it, and binds the code to the first browser. */
    judge(code: string | undefined, cookie: string | undefined): Judged {
      renew()
      if (code === undefined) return { isBound: false, because: 'missing' }
      const live = codes.find(isCode(code))
      if (live === undefined) return { isBound: false, because: 'wrong' }
      if (live.browser !== undefined)
        return isOf(live, cookie) ? { isBound: true } : { isBound: false, because: 'other_browser' }
      const made = randomBytes(32).toString('base64url')
      const bound = { ...live, browser: digestOf(made) }
      end(codes.filter((one) => one.browser !== undefined))
      codes = codes.map((one) => (one === live ? bound : one))
      file.write({
        digest: bound.digest.toString('hex'),
        browser: bound.browser.toString('hex'),
        endsAt: clock.now() + live.endsAt - clock.monotonic(),
      })
      return { isBound: true, cookie: made }
    },
    /** Whether this browser completed the set-up. True only once. */
    wasLast(code: string | undefined, cookie: string | undefined): boolean {
      if (last === undefined || !isCode(code)(last) || !isOf(last, cookie)) return false
      last = undefined
      return true
    },
    close: () => cancel(),
  }
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

const isOf = ({ browser }: LiveCode, cookie: string | undefined): boolean =>
  browser !== undefined && cookie !== undefined && timingSafeEqual(browser, digestOf(cookie))
