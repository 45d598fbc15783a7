/** Sends a zip with its progress, which `fetch` does not report. */
import { FarmgateError, type InstalledMods } from '../../../client/index.ts'
import { parseIfJson } from '../../../client/json.ts'
import { failureOf } from '../../../client/request.ts'
import { keptKey } from '../../session/key-storage.ts'
import { addressOfApi } from '../../session/session.ts'

/** @param onProgress called with the part that is sent, 0 to 1 @throws {FarmgateError} */
export function uploadMods(
  zip: Blob,
  onProgress: (part: number) => void,
  signal: AbortSignal,
): Promise<InstalledMods> {
  const { promise, resolve, reject } = Promise.withResolvers<InstalledMods>()
  const request = new XMLHttpRequest()
  request.open('POST', addressOfApi('mods'))
  const key = keptKey()
  if (key !== undefined) request.setRequestHeader('Authorization', `Bearer ${key}`)
  request.setRequestHeader('Content-Type', 'application/zip')
  request.upload.addEventListener('progress', ({ loaded, total }) =>
    onProgress(total === 0 ? 0 : loaded / total),
  )
  request.addEventListener('load', () => {
    const { status, responseText } = request
    const body = parseIfJson(responseText)
    const headers = { 'x-request-id': request.getResponseHeader('x-request-id') ?? '' }
    if (status === 201) resolve(body as InstalledMods)
    else reject(failureOf({ method: 'POST' }, new Response(null, { status: status || 500, headers }), body))
  })
  request.addEventListener('error', () => reject(new FarmgateError('unreachable', 'The upload was cut off')))
  signal.addEventListener('abort', () => request.abort())
  request.send(zip)
  return promise
}
