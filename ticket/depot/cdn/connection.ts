import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import tls from 'node:tls'

/** Where requests go. */
export interface Origin {
  readonly secure: boolean
  readonly host: string
  readonly port: number
  /** The name that the certificate must have. */
  readonly name: string
}

/** One connection, opening or open. */
export interface Connection {
  /** Sends text, as soon as the connection is open. */
  send(text: string): void
  /** Ends it; nothing is heard from it any more. */
  destroy(): void
}

export interface ConnectionEvents {
  /** Where the next bytes shall be put; asked for anew after each `arrived`; never empty. */
  place(): Buffer
  /** So many bytes now lie at the last place. */
  arrived(count: number): void
  /** It ended, or never opened. `code` is the system's or the library's name for why. */
  ended(code: string | undefined): void
}

/**
 * Opens a connection whose bytes are received where they belong: no buffer is made for each piece, no copy taken.
 * Through a proxy, TLS goes by way of `CONNECT` (RFC 9110, 9.3.6); plain HTTP is spoken to the proxy itself.
 */
export function openConnection(origin: Origin, proxy: URL | undefined, events: ConnectionEvents): Connection {
  let over = false
  let stop: () => void = () => undefined
  let waiting = ''
  let send = (text: string): void => {
    waiting += text
  }

  const end = (code: string | undefined): void => {
    if (over) return
    over = true
    stop()
    events.ended(code)
  }

  const use = (socket: net.Socket): void => {
    stop = () => socket.destroy()
    send = (text) => void socket.write(text, 'latin1')
    socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'EPROTO'))
    socket.on('end', () => end(undefined))
    socket.on('close', () => end(undefined))
    if (waiting !== '') send(waiting)
  }

  const onread: net.OnReadOpts = {
    buffer: () => events.place(),
    callback: (count) => {
      if (!over) events.arrived(count)
      return !over
    },
  }

  if (proxy !== undefined && origin.secure) {
    const tunnel = openTunnel(origin, proxy)
    stop = () => tunnel.destroy()
    tunnel.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'ERR_PROXY'))
    tunnel.on('connect', ({ statusCode = 0 }, socket, early) => {
      // No TLS server speaks first.
      if (Math.trunc(statusCode / 100) !== 2 || early.length > 0) {
        socket.destroy()
        return end('ERR_PROXY')
      }
      const secured = tls.connect({ socket, ...identity(origin.name) })
      use(secured)
      // A socket on a socket cannot read into a place of ours.
      secured.on('data', (bytes) => {
        for (let at = 0; at < bytes.length && !over; ) {
          const count = bytes.copy(events.place(), 0, at)
          at += count
          events.arrived(count)
        }
      })
    })
  } else {
    const { secure, host, port, name } = proxy === undefined ? origin : originOf(proxy)
    const address = { host, port, noDelay: true, onread }
    use(secure ? tls.connect({ ...address, ...identity(name) }) : net.connect(address))
  }

  return {
    send: (text) => send(text),
    destroy() {
      over = true
      stop()
    },
  }
}

/** Where an address is served. */
export function originOf(url: URL, name = url.hostname): Origin {
  const secure = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return { secure, host, port: Number(url.port) || (secure ? 443 : 80), name: name.replace(/^\[|\]$/g, '') }
}

/** `Proxy-Authorization` for the credentials in a proxy's address; `undefined` without any. */
function proxyAuthorization({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(credentials).toString('base64')}`
}

/** The certificate must be for this name, whatever the address; TLS asks for names only, not for addresses. */
function identity(name: string): Pick<tls.ConnectionOptions, 'servername' | 'checkServerIdentity'> {
  return {
    servername: net.isIP(name) > 0 ? '' : name,
    checkServerIdentity: (_host, certificate) => tls.checkServerIdentity(name, certificate),
  }
}

function openTunnel({ host, port }: Origin, proxy: URL): http.ClientRequest {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const authorization = proxyAuthorization(proxy)
  const at = originOf(proxy)
  const tunnel = (at.secure ? https : http).request({
    host: at.host,
    port: at.port,
    ...(at.secure && identity(at.name)),
    method: 'CONNECT',
    path: authority,
    agent: false,
    headers: { host: authority, ...(authorization && { 'proxy-authorization': authorization }) },
  })
  tunnel.end()
  return tunnel
}

/** The text of a GET. A parsed address and a server's name hold no line ends: nothing can be smuggled into the request. */
export function requestText(url: URL, host: string, proxy: URL | undefined): string {
  const toProxy = proxy !== undefined && url.protocol === 'http:'
  const authorization = toProxy ? proxyAuthorization(proxy) : undefined
  return [
    `GET ${toProxy ? url.href : url.pathname + url.search} HTTP/1.1`,
    // To a proxy `Host` must name what the request line names (RFC 9112, 3.2.2).
    `Host: ${toProxy ? url.host : host}`,
    'User-Agent: Valve/Steam HTTP Client 1.0',
    'Accept: */*',
    'Accept-Encoding: identity',
    ...(authorization === undefined ? [] : [`Proxy-Authorization: ${authorization}`]),
    '\r\n',
  ].join('\r\n')
}
