/** The links to help pages in sentences, such as `/help/backups#restore`: each farm serves them, and its edge. */
export const helpPath = /(\/help\/[a-z-]+(?:#[a-z-]+)?)/g

/** @param url of a farm @returns the sentence with the whole addresses of its help pages */
export const withHelpOf = (sentence: string, url: string): string =>
  sentence.replaceAll(helpPath, (path) => url.replace(/\/+$/, '') + path)
