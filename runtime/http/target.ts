/** The request target, from the URL that every runtime gives. */

/** Where the path begins: after `scheme://host`. */
const pathStart = (url: string) => url.indexOf('/', url.indexOf(':') + 3)

/** Path and query, as in the request line. */
export const targetOf = (url: string): string => url.slice(pathStart(url))

/** The path as it was sent: without query, not decoded, because paths are exact. */
export function pathOf(url: string): string {
  const path = targetOf(url)
  const end = path.search(/[?#]/)
  return end < 0 ? path : path.slice(0, end)
}

/**
 * The path that routes are matched against: without the base path that a proxy may leave on it, and without one
 * trailing slash.
 * @param basePath empty, or `/prefix` without a trailing slash
 */
export const requestPath =
  (basePath: string) =>
  ({ url }: Pick<Request, 'url'>): string => {
    const path = withoutBase(pathOf(url), basePath)
    return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
  }

/** @returns a path that begins with a slash */
export const withoutBase = (path: string, basePath: string): string =>
  path === basePath || path.startsWith(`${basePath}/`) ? path.slice(basePath.length) || '/' : path

/** Bytes of the target: path and query, as in the request line. */
export const targetLength = (url: string): number => url.length - pathStart(url)

/** The query without its `?`; empty when there is none. */
export function searchOf(url: string): string {
  const at = url.indexOf('?')
  if (at < 0) return ''
  const hash = url.indexOf('#', at)
  return hash < 0 ? url.slice(at + 1) : url.slice(at + 1, hash)
}

/** Whether the path, without its query, ends with a slash. */
export const hasTrailingSlash = (url: string): boolean => /^[^?#]*\/(?:[?#]|$)/.test(url)
