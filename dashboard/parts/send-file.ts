/** Sends a file and shows how much has arrived, which `fetch` cannot. */
import { signal } from '@preact/signals'
import { sending } from '../session/sending.ts'

/** The sent part of the current file, 0 to 1. */
export const sentPart = signal(0)

sending.file = (to, init) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(init?.method ?? 'POST', String(to))
    for (const [name, value] of new Headers(init?.headers)) request.setRequestHeader(name, value)
    sentPart.value = 0
    request.upload.onprogress = ({ loaded, total }) => {
      sentPart.value = total === 0 ? 1 : loaded / total
    }
    request.onload = () => resolve(answerOf(request))
    request.onerror = request.onabort = () => reject(new TypeError('the file was not sent'))
    init?.signal?.addEventListener('abort', () => request.abort())
    request.send(init?.body instanceof Blob ? init.body : null)
  })

function answerOf(request: XMLHttpRequest): Response {
  const lines = request
    .getAllResponseHeaders()
    .trim()
    .split(/[\r\n]+/)
  const headers = new Headers()
  for (const line of lines) {
    const at = line.indexOf(':')
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim())
  }
  return new Response(request.responseText, { status: request.status, headers })
}
