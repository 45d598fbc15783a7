/**
 * Whether a response is that of an S3-compatible bucket. A proxy on the way can respond with its own page.
 * @param call `LIST` for a listing, otherwise the method
 * @param headers by their lower-case names
 */
export function isOfBucket(
  call: string,
  status: number,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): boolean {
  const type = String(headers['content-type'] ?? '')
  const length = headers['content-length']
  // Google Cloud Storage calls an empty body HTML.
  if (/html/i.test(type) && length !== '0') return false
  if (status >= 300) return true
  const isXml = /\bxml\b/i.test(type)
  const tag = String(headers['etag'] ?? '')
  switch (call) {
    case 'DELETE':
      return status === 200 || status === 204
    case 'LIST':
    case 'POST':
      return status === 200 && isXml
    case 'PUT':
      // Its body is empty.
      return status === 200 && /^"[^"]+"$/.test(tag) && (isXml || length === '0' || (length ?? type) === '')
    default:
      return /^(W\/)?"[^"]+"$/.test(tag) && (status === 200 || (call === 'GET' && status === 206))
  }
}
