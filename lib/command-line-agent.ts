/** The `User-Agent` by which the API distinguishes requests of farmgate's command line from all others. */

export const commandLineAgent = (version: string): string => `farmgate/${version}`

/** @param userAgent the header */
export const isOfCommandLine = (userAgent: string | undefined): boolean =>
  userAgent?.startsWith('farmgate/') === true
