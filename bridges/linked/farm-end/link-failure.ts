/** Why the farm has no link to its edge, for the log, and how long to wait before the next attempt. */
import { errorCode } from '../../../lib/error-code.ts'
import { causeOfError, type FailureCause } from '../../../lib/failure-cause.ts'
import { linkCloseCodes } from '../protocol.ts'

const keyRefused: FailureCause = { code: 'key_refused', words: 'the edge refuses the link key' }
const replaced: FailureCause = {
  code: 'replaced',
  words: 'another process took it with the same link key, and only one of the two serves the farm',
}
const restarting: FailureCause = { code: 'starting', words: 'the edge is restarting' }
const tooManyRequests: FailureCause = {
  code: 'rate_limited',
  words: 'the edge takes no more requests from this farm or address for a minute (429)',
}

/** @param how the close code with which the farm closed the link, or the code of the error */
export const protocolBroken = (how: number | string): FailureCause => ({
  code: 'protocol_broken',
  words: `the edge does not keep to the protocol of the link (${how})`,
})

/**
 * @param error of the farm's socket; those of `ws` about a frame, such as one that is too long, begin with `WS_ERR_`
 */
export function causeOfSocketError(error: Error): FailureCause {
  const code = errorCode(error)
  return code?.startsWith('WS_ERR_') ? protocolBroken(code) : causeOfError(error)
}

/** The cause of the edge's close code, where no error was seen before the close. */
export function closedWith(code: number): FailureCause {
  if (code === linkCloseCodes.replaced) return replaced
  return code === linkCloseCodes.restarting
    ? restarting
    : { code: 'closed', words: `the edge closed it (${code})` }
}

/** The cause of an HTTP answer to the handshake. @param before why the previous attempt failed */
export function refusedWith(status: number, before: FailureCause | undefined): FailureCause {
  if (status === 401) return keyRefused
  // After several wrong keys the edge answers 429. The cause is still the wrong key.
  if (status === 429) return before === keyRefused ? keyRefused : tooManyRequests
  return status >= 500
    ? { code: 'starting', words: `the edge cannot take the link now (status ${status})` }
    : { code: 'not_its_api', words: `what answers there is no edge with this farm (status ${status})` }
}

/** Whether the edge refuses this farm, so that it need not be tried again soon. */
export const isRefused = ({ code }: FailureCause): boolean =>
  code === 'key_refused' || code === 'replaced' || code === 'protocol_broken' || code === 'rate_limited'

/** Failed attempts that the back-off counts after a loss of this cause. @param before the count until now */
export function failuresAfter({ code }: FailureCause, before: number): number {
  // A refused key stays refused until the operator changes it, so the longest wait is used at once.
  if (code === 'key_refused') return Number.POSITIVE_INFINITY
  // Perhaps a second machine with the same key replaced the link: if both connected again at once, they would keep
  // replacing each other. An edge that breaks the protocol will do so again.
  if (code === 'replaced' || code === 'protocol_broken') return Math.max(before, 4) + 1
  return before + 1
}
