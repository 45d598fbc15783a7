/**
 * Whether a successful answer is that of an S3-compatible bucket. A proxy on the way can answer with its own page.
 * @param headers by their lower-case names
 */
export function isOfBucket(
  method: string,
  status: number,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): boolean {
  if (/html/i.test(String(headers['content-type'] ?? ''))) return false
  if (method === 'DELETE') return status === 200 || status === 204
  const hasTag = /^(W\/)?"[^"]+"$/.test(String(headers['etag'] ?? ''))
  return hasTag && (status === 200 || (method === 'GET' && status === 206))
}
