import { proxyAuthorization } from './connection.ts'

/** The text of a GET. A parsed address and a server's name hold no line ends: nothing can be smuggled into the request. */
export function requestText(url: URL, host: string, proxy: URL | undefined): string {
  const toProxy = proxy !== undefined && url.protocol === 'http:'
  const authorization = toProxy ? proxyAuthorization(proxy) : undefined
  return [
    `GET ${toProxy ? url.href : url.pathname + url.search} HTTP/1.1`,
    // To a proxy `Host` must name what the request line names (RFC 9112, 3.2.2).
    `Host: ${toProxy ? url.host : host}`,
    'User-Agent: Valve/Steam HTTP Client 1.0',
    'Accept: */*',
    'Accept-Encoding: identity',
    ...(authorization === undefined ? [] : [`Proxy-Authorization: ${authorization}`]),
    '\r\n',
  ].join('\r\n')
}
