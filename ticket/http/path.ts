/** The segments of a path. Leading slashes are dropped: a configured address that ends with `/` leads to `//`. */
export const segments = (pathname: string): readonly string[] => pathname.replace(/^\/+/, '').split('/')

/** The path of its segments, without slashes at its ends except the first. */
export const pathOf = (parts: readonly string[]): string => `/${parts.join('/').replace(/^\/+|\/$/g, '')}`
