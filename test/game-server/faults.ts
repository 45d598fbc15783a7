/** Faults of answers of the stand-in game server. */
import type { ServerResponse } from 'node:http'

export type Fault =
  /** The call is carried out at once and answered late. */
  | { readonly kind: 'slow'; readonly milliseconds: number }
  /** The call is carried out and half of the answer is sent; the connection stays open. */
  | { readonly kind: 'hangs' }
  /** The call is carried out and never answered. */
  | { readonly kind: 'silent' }
  /** The call is carried out, and the connection is reset before the answer. */
  | { readonly kind: 'resets' }
  /** Not done. */
  | {
      readonly kind: 'status'
      readonly status: number
      readonly body: string | Buffer
      readonly headers?: Readonly<Record<string, string>>
    }
  /** Not done: these bytes are sent in place of an answer, and then the connection ends. */
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  /** The call is carried out, and one byte of the answer is sent in so many milliseconds. */
  | { readonly kind: 'drips'; readonly every: number }
  | { readonly kind: 'garbage' }
  | { readonly kind: 'wrong types' }
  /** The call is carried out; the connection ends before `Content-Length` bytes were sent. */
  | { readonly kind: 'truncated' }
  | { readonly kind: 'enormous'; readonly bytes: number; readonly isChunked: boolean }
  /** Not done. */
  | { readonly kind: 'redirects'; readonly to: string }

/** `GET /players`, or `*` for every resource. */
export type Resource = `${string} /${string}` | '*'

/** Faults in force; the one for the resource goes before the one for all. */
export class Faults {
  private readonly inForce = new Map<Resource, Fault>()
  set(fault: Fault, resource: Resource = '*'): void {
    this.inForce.set(resource, fault)
  }
  clear(): void {
    this.inForce.clear()
  }
  of(method: string, path: string): Fault | undefined {
    return this.inForce.get(`${method} ${path}` as Resource) ?? this.inForce.get('*')
  }
}

/** Answers in place of the game, for faults that keep the request from being done. */
export function answerInstead(fault: Fault, response: ServerResponse): boolean {
  if (fault.kind === 'status') {
    response.writeHead(fault.status, { 'content-type': 'text/html', ...fault.headers }).end(fault.body)
    return true
  }
  if (fault.kind === 'bytes') {
    response.socket?.end(fault.bytes)
    return true
  }
  if (fault.kind === 'redirects') {
    response.writeHead(307, { location: fault.to }).end()
    return true
  }
  return false
}

const wrongTypes = (body: string) =>
  body.replaceAll(/:(true|false)/g, ':"maybe"').replaceAll(/"(players|farmhands|cabins)":\[/g, '"$1":7,"_":[')

/** Sends the game's own answer with the fault applied. */
export function answerMangled(fault: Fault, response: ServerResponse, body: string): void {
  const json = { 'content-type': 'application/json' }
  const whole = { ...json, 'content-length': Buffer.byteLength(body) }
  switch (fault.kind) {
    case 'slow':
      setTimeout(() => response.writeHead(200, whole).end(body), fault.milliseconds)
      return
    case 'hangs':
      response.writeHead(200, whole).write(body.slice(0, Math.ceil(body.length / 2)))
      return
    case 'drips':
      drip(response.writeHead(200, whole), Buffer.from(body), fault.every)
      return
    case 'silent':
      return
    case 'resets':
      response.socket?.resetAndDestroy()
      return
    case 'garbage':
      response.writeHead(200, json).end('{"players":[{"id":}]<html>')
      return
    case 'wrong types':
      response.writeHead(200, json).end(wrongTypes(body))
      return
    case 'truncated':
      response
        .writeHead(200, whole)
        .write(body.slice(0, Math.ceil(body.length / 2)), () => response.socket?.destroy())
      return
    case 'enormous':
      sendEnormous(response, fault)
      return
    case 'status':
    case 'bytes':
    case 'redirects':
      return
  }
}

/** Writes a byte at a time until all is sent or the reader has left. */
function drip(response: ServerResponse, bytes: Buffer, every: number): void {
  let at = 0
  const dripping = setInterval(() => {
    if (response.destroyed || at === bytes.length) {
      clearInterval(dripping)
      response.end()
    } else response.write(bytes.subarray(at, ++at))
  }, every)
}

const piece = Buffer.alloc(256 * 1024, ' ')

/** Writes until all is sent or the reader has left. */
function sendEnormous(response: ServerResponse, fault: { bytes: number; isChunked: boolean }): void {
  response.writeHead(200, {
    'content-type': 'application/json',
    ...(!fault.isChunked && { 'content-length': fault.bytes }),
  })
  let left = fault.bytes
  const write = () => {
    while (left > 0 && !response.destroyed) {
      const part = piece.subarray(0, Math.min(piece.length, left))
      left -= part.length
      if (!response.write(part)) return void response.once('drain', write)
    }
    if (!response.destroyed) response.end()
  }
  write()
}
