/** How the page sends requests: a view that shows the progress of a file sets how files are sent. */
export const sending: { file?: typeof fetch } = {}

export const pageFetch: typeof fetch = (to, init) =>
  (init?.body instanceof Blob ? (sending.file ?? fetch) : fetch)(to, init)
