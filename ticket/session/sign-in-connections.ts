import type { ClientRequest, ClientRequestArgs } from 'node:http'
import { Agent } from 'node:https'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect } from 'node:tls'
import { identity, openTunnel } from '../depot/cdn/connection.ts'

/** The connections of one sign-in. */
export type SignInConnections = ReturnType<typeof signInConnections>

/**
 * Opens the connections of one sign-in, through a proxy when one is configured. steam-session has no time limit for
 * the server directory, and while it waits, all later sign-ins of the process wait too; it retries to reach a
 * connection manager without limit. Both end when their connections are closed.
 */
export function signInConnections(proxy: string | undefined) {
  const agent = new Agent()
  const tunnels = new Set<ClientRequest>()
  let closed = false

  const direct = agent.createConnection.bind(agent)
  agent.createConnection = (options, callback) => {
    if (closed) return new Socket().destroy(new Error('the sign-in has ended'))
    if (proxy === undefined) return direct(options, callback)
    openThrough(new URL(proxy), options, (error, socket) => callback?.(error, socket))
    return undefined
  }

  function openThrough(
    via: URL,
    { host, port }: ClientRequestArgs,
    opened: (error: Error | null, socket: Duplex) => void,
  ): void {
    const name = host ?? 'localhost'
    const tunnel = openTunnel({ host: name, port: Number(port ?? 443) }, via)
    tunnels.add(tunnel)
    tunnel.on('close', () => tunnels.delete(tunnel))
    tunnel.on('error', (error) => opened(error, new Socket()))
    tunnel.on('connect', ({ statusCode = 0 }, socket) => {
      if (Math.trunc(statusCode / 100) === 2) return opened(null, connect({ socket, ...identity(name) }))
      socket.destroy()
      opened(new Error(`the proxy answered ${statusCode}`), socket)
    })
  }

  return {
    agent,
    /** Closes all connections and refuses later ones. */
    close() {
      closed = true
      for (const tunnel of tunnels) tunnel.destroy(new Error('the sign-in has ended'))
      agent.destroy()
    },
  }
}
