import { createHash, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import type { BoundCode, BoundCodeFile } from './bound-code-file.ts'

/** A code of 32 random bytes, and the digests of the code and of the cookie of the browser that uses it. */
interface LiveCode {
  readonly digest: Buffer
  readonly browser: Buffer | undefined
  /** By `Clock.monotonic`. */
  readonly endsAt: number
  /** Made by this process, which has logged it. */
  readonly isLogged: boolean
}

/** What a request with a code may do; `cookie` is new and binds the browser. */
export type Judged =
  | { readonly isBound: true; readonly cookie?: string }
  | { readonly isBound: false; readonly because: 'missing' | 'wrong' | 'ended' | 'other_browser' }

interface CodeParts {
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'after'>
  readonly randomBytes: (size: number) => Buffer
  readonly file: BoundCodeFile
  /** Logs a new code. The only place that receives its text. */
  announce(code: string): void
}

/** Milliseconds. */
const lifetime = 3_600_000
const maxWrong = 5
/** Ended codes that are not counted as guesses: a page that is still open sends its code again. */
const maxEnded = 16

/** The codes of the set-up in the browser: at most the newest, and one that a browser used before a restart. */
export function setupCodes({ clock, randomBytes, file, announce }: CodeParts) {
  const stored = file.read()
  let codes: LiveCode[] = stored === undefined ? [] : restored(stored)
  let ended: Buffer[] = []
  let last: LiveCode | undefined
  let wrong = 0
  let isOpen = false
  let cancel = () => {}

  function restored({ digest, browser, endsAt }: BoundCode): LiveCode[] {
    const left = Math.min(endsAt - clock.now(), lifetime)
    if (left <= 0) return []
    const parts = { digest: Buffer.from(digest, 'hex'), browser: Buffer.from(browser, 'hex') }
    return [{ ...parts, endsAt: clock.monotonic() + left, isLogged: false }]
  }

  const end = (over: readonly LiveCode[]) => {
    ended = [...ended, ...over.map(({ digest }) => digest)].slice(-maxEnded)
    codes = codes.filter((code) => !over.includes(code))
  }

  const renew = () => {
    end(codes.filter(({ endsAt }) => endsAt <= clock.monotonic()))
    if (!isOpen || codes.some(({ isLogged }) => isLogged)) return
    const code = randomBytes(32).toString('base64url')
    wrong = 0
    codes = [
      ...codes,
      { digest: digestOf(code), browser: undefined, endsAt: clock.monotonic() + lifetime, isLogged: true },
    ]
    announce(code)
    cancel()
    cancel = clock.after(lifetime, renew)
  }

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
      cancel()
      last = codes.find(({ browser }) => browser !== undefined) ?? last
      end(codes)
      file.remove()
    },
    /** Checks a code and the cookie that came with it, and binds the code to the first browser. */
    judge(code: string | undefined, cookie: string | undefined): Judged {
      renew()
      if (code === undefined) return { isBound: false, because: 'missing' }
      const digest = digestOf(code)
      const live = codes.find((one) => timingSafeEqual(one.digest, digest))
      if (live === undefined) {
        if (ended.some((one) => timingSafeEqual(one, digest))) return { isBound: false, because: 'ended' }
        wrong += 1
        if (wrong >= maxWrong) {
          end(codes)
          file.remove()
          renew()
        }
        return { isBound: false, because: 'wrong' }
      }
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
      if (last === undefined || code === undefined || !timingSafeEqual(last.digest, digestOf(code)))
        return false
      if (!isOf(last, cookie)) return false
      last = undefined
      return true
    },
    close: () => cancel(),
  }
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

const isOf = ({ browser }: LiveCode, cookie: string | undefined): boolean =>
  browser !== undefined && cookie !== undefined && timingSafeEqual(browser, digestOf(cookie))
