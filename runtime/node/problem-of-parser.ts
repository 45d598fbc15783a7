import { Problem } from '../../handlers/problem.ts'

/** The error for a request that Node's parser refuses, and that therefore never reaches the router. */
export const problemOfParser = ({ code }: NodeJS.ErrnoException): Problem =>
  code === 'HPE_HEADER_OVERFLOW'
    ? new Problem('headers_too_large', 'Request line and headers are too large')
    : code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? new Problem('wait_timeout', '')
      : new Problem('malformed_request', 'Malformed HTTP request')
