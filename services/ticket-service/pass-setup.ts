/** Passes the set-up in the browser on to the ticket service, which checks the one-time code (docs/ticket-service.md). */

import { Problem } from '../../handlers/problem.ts'
import type { Records } from '../../handlers/records.ts'
import { type SetupCall, type SetupPath, type SetupPort, setupView } from '../../handlers/setup.ts'
import { bodyText } from '../../lib/foreign/body-text.ts'
import { checkForeign, foreignValue } from '../../lib/foreign/read.ts'
import { oneAtATime } from '../../lib/one-at-a-time.ts'

/** Milliseconds in which the ticket service must answer. Its own limit is half of it. */
const answerTimeout = 10_000
const maxBytes = 16_384
const cookieName = 'farmgate-setup'

/** The name of the key that the page gets. */
const keyName = 'First run'

interface PassParts {
  /** `PLATFORM_AUTH_URL`, without a slash at its end. No part of a request chooses where it is sent. */
  readonly url: string
  readonly records: Pick<Records, 'state' | 'keys' | 'makeKey' | 'revokeKey' | 'recordWrite'>
  /** Milliseconds, where they differ from the usual ones. */
  readonly timeout?: number
}

const unavailable = (sentence: string) =>
  new Problem('ticket_service_unavailable', sentence, { retryAfter: 5 })

/** The problems for the refusals of the ticket service, whose own texts are not passed on. */
const refusals: Readonly<Record<number, (retryAfter: number) => Problem>> = {
  401: () =>
    new Problem(
      'unauthorized',
      'The code is missing, wrong or has ended. The newest link is in the log of the ticket service',
    ),
  403: () => new Problem('other_browser', 'Another browser uses this link already'),
  404: () =>
    new Problem('not_found', 'The set-up is complete. It opens again after the command ticket logout'),
  409: () => new Problem('not_signed_in', 'Sign in to Steam first'),
  429: (retryAfter) =>
    new Problem('rate_limited', `Too many wrong codes; try again in ${retryAfter} s`, { retryAfter }),
}

export function passSetup({ url, records, timeout = answerTimeout }: PassParts): SetupPort {
  const makingKey = oneAtATime()

  async function pass(path: SetupPath, { method, authorization, cookie, address, over }: SetupCall) {
    const signal = AbortSignal.any([AbortSignal.timeout(timeout), ...(over === undefined ? [] : [over])])
    let response: Response
    let text: string
    try {
      response = await fetch(`${url}${path}`, {
        method,
        redirect: 'manual',
        signal,
        headers: {
          // It limits wrong codes by address, and sees only the one of this process.
          'X-Farmgate-Caller': address,
          ...(authorization !== undefined && isOfSetup.test(authorization) && { authorization }),
          ...(cookie !== undefined && { cookie: ownCookie(cookie) }),
        },
      })
      const read = await bodyText(response.body, maxBytes)
      if ('fault' in read) throw new Error(read.fault)
      text = read.text
    } catch {
      throw unavailable('The ticket service does not answer')
    }
    const wait = Number(response.headers.get('retry-after'))
    const refusal = refusals[response.status]?.(wait >= 1 && wait <= 60 ? Math.ceil(wait) : 60)
    if (refusal !== undefined) throw refusal
    const view = checkForeign(setupView, foreignValue(text))
    if (response.status !== (method === 'GET' ? 200 : 202) || !view.success)
      throw unavailable('The ticket service answered something that is not its API')
    const [, value] = /^farmgate-setup=([\w-]{43});/.exec(response.headers.get('set-cookie') ?? '') ?? []
    return { view: view.output, cookie: value }
  }

  return {
    pass,
    makeKey: (call, from) =>
      makingKey.run(async () => {
        const { cookie } = await pass('/setup', { ...call, method: 'GET' })
        const keys = await records.keys()
        // The answer with the last one may have been lost.
        if (keys.some(({ name, lastUsedAt }) => name !== keyName || lastUsedAt !== undefined))
          throw new Problem('keys_exist', 'This farm has keys already. Sign in with one of them')
        for (const { id } of keys) await records.revokeKey(id)
        const request = { name: keyName, scopes: ['admin' as const] }
        const key = await records.makeKey(request)
        const by = { id: key.id, name: key.name }
        const row = { ...from, key: by, action: 'createKey', parameters: request }
        await records.recordWrite(row, { outcome: 'done', status: 201 })
        return { key: key.key, ...(records.state() === 'failed' && { stored: 'memory' as const }), cookie }
      }),
  }
}

const isOfSetup = /^setup [\w-]{1,128}$/i

/** Without the cookies of anything else, such as a session. */
const ownCookie = (header: string): string =>
  header
    .split(/;\s*/)
    .filter((pair) => pair.startsWith(`${cookieName}=`) && /^[\w-]+=[\w-]{43}$/.test(pair))
    .slice(0, 1)
    .join('')
