import { problem } from './routes/problems.ts'
import type { TicketAnswer } from './routes/route.ts'

/** @returns the answer to what is no HTTP request that the app could judge; `error` says why. */
export const malformed = (error = 'Malformed HTTP request') => problem(400, 'malformed_request', error)

/** @returns the answer to a request that Node's parser refuses. */
export const parserRefusal = ({ code }: NodeJS.ErrnoException): TicketAnswer =>
  code === 'HPE_HEADER_OVERFLOW'
    ? problem(431, 'headers_too_large', 'Request line and headers are too large')
    : code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? problem(408, 'request_timeout', 'The request did not come in time')
      : malformed()
