/** Refusals of S3-compatible storage, in words for the operator. */
import type { IncomingMessage } from 'node:http'

/** Maximum of bytes of a refusal that are read. */
const largest = 16_384

/** By the code of the storage, see "Error responses" of the Amazon S3 API reference. */
const causes: Readonly<Record<string, string>> = {
  RequestTimeTooSkewed: "the clock of this machine differs from the storage's by more than 15 minutes",
  NoSuchBucket: 'the bucket in BACKUP_S3_URL does not exist',
  InvalidAccessKeyId: 'BACKUP_S3_ACCESS_KEY_ID is not known there',
  SignatureDoesNotMatch: 'BACKUP_S3_SECRET_ACCESS_KEY or BACKUP_S3_REGION is wrong',
  AuthorizationHeaderMalformed: 'BACKUP_S3_REGION is wrong',
  AccessDenied: 'the key may not do this there',
  PermanentRedirect: 'the bucket is at another address, which BACKUP_S3_URL has to name',
  NoSuchKey: 'the copy is not there',
  EntityTooLarge: 'the copy is larger than the storage takes',
  QuotaExceeded: 'the storage is full',
  SlowDown: 'the storage limits the request rate',
}

/**
 * Reads why a call was refused.
 * @returns undefined when it was not: its status is 2xx and nothing of the body has been read; also for a removal of a
 * missing object. Otherwise status and code of the storage, never its own text, which may repeat what was sent.
 */
export async function refusalOf(response: IncomingMessage): Promise<string | undefined> {
  const status = response.statusCode ?? 0
  if (status >= 200 && status < 300) return undefined
  if (status < 200) return `it answered with another protocol (${status})`
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > largest) break
  }
  const [, code = ''] = /<Code>([A-Za-z]{1,40})<\/Code>/.exec(Buffer.concat(chunks).toString('latin1')) ?? []
  if (code === '' && status >= 300 && status < 400)
    return `it answered with a redirect (${status}), which is not followed`
  return `${causes[code] ?? 'it refused'} (${[status, code].join(' ').trim()})`
}
