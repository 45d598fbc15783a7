import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import tls from 'node:tls'

/** The server, or proxy, that a connection goes to. */
export interface Origin {
  readonly secure: boolean
  readonly host: string
  readonly port: number
  /** The name that the certificate must have. */
  readonly name: string
}

/** A connection that is opening or open. */
export interface Connection {
  /** Sends text; before the connection is open, the text waits. */
  send(text: string): void
  /** Closes the connection. No more events follow. */
  destroy(): void
}

export interface ConnectionEvents {
  /** Returns the buffer for the next bytes, never empty; called again after each `arrived`. */
  place(): Buffer
  /** Called when `count` bytes were written to the last `place()`. */
  arrived(count: number): void
  /** Called when the connection ended or could not be opened. `code` is the error code of the system or of Node. */
  ended(code: string | undefined): void
}

/**
 * Opens a connection that receives into the buffers of `events.place`, without a buffer or a copy for each read. With a
 * proxy, TLS goes through a `CONNECT` tunnel (RFC 9110, 9.3.6); plain HTTP requests go to the proxy.
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
      // A TLS server sends nothing before the client, so early bytes are an error.
      if (Math.trunc(statusCode / 100) !== 2 || early.length > 0) {
        socket.destroy()
        return end('ERR_PROXY')
      }
      const secured = tls.connect({ socket, ...identity(origin.name) })
      use(secured)
      // `onread` does not work for TLS over an existing socket, so these bytes are copied.
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

/** @param name the name that the certificate must have @returns the server of an address */
export function originOf(url: URL, name = url.hostname): Origin {
  const secure = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return { secure, host, port: Number(url.port) || (secure ? 443 : 80), name: name.replace(/^\[|\]$/g, '') }
}

/** @returns the value of `Proxy-Authorization` for a proxy's address; `undefined` without credentials */
function proxyAuthorization({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(credentials).toString('base64')}`
}

/** Checks the certificate against this name, not the address. SNI allows only names, so an IP address is not sent. */
export function identity(name: string): Pick<tls.ConnectionOptions, 'servername' | 'checkServerIdentity'> {
  return {
    servername: net.isIP(name) > 0 ? '' : name,
    checkServerIdentity: (_host, certificate) => tls.checkServerIdentity(name, certificate),
  }
}

/** Asks a proxy for a tunnel to a server (RFC 9110, 9.3.6). */
export function openTunnel({ host, port }: Pick<Origin, 'host' | 'port'>, proxy: URL): http.ClientRequest {
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

/** @returns the text of a GET request. A parsed URL contains no line ends, so it cannot add headers. */
export function requestText(url: URL, host: string, proxy: URL | undefined): string {
  const toProxy = proxy !== undefined && url.protocol === 'http:'
  const authorization = toProxy ? proxyAuthorization(proxy) : undefined
  return [
    `GET ${toProxy ? url.href : url.pathname + url.search} HTTP/1.1`,
    // In a request to a proxy, `Host` must equal the host of the request line (RFC 9112, 3.2.2).
    `Host: ${toProxy ? url.host : host}`,
    'User-Agent: Valve/Steam HTTP Client 1.0',
    'Accept: */*',
    'Accept-Encoding: identity',
    ...(authorization === undefined ? [] : [`Proxy-Authorization: ${authorization}`]),
    '\r\n',
  ].join('\r\n')
}
