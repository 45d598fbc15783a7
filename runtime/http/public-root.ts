import type { Caller } from './caller.ts'

/**
 * The absolute URL of the API as a client reached it, without a slash at its end. Only that client sees it.
 * @param url of the request
 * @param basePath prefix of the API behind a proxy, which may have removed it from the URL
 */
export function publicRoot(url: string, caller: Pick<Caller, 'header' | 'prefix'>, basePath: string): string {
  const { protocol, host } = new URL(url)
  const isSecure = protocol === 'https:' || caller.header('x-forwarded-proto') === 'https'
  return `${isSecure ? 'https' : 'http'}://${host}${caller.prefix ?? basePath}`
}
