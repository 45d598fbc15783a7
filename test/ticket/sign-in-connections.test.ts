/** The connections of one sign-in, to real servers. */
import { createServer as createProxy, type IncomingMessage } from 'node:http'
import { createServer, request } from 'node:https'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type SignInConnections, signInConnections } from '../../ticket/session/sign-in-connections.ts'
import { certificate, trust } from '../certificate.ts'
import { eventually } from '../wait.ts'
import { listen } from './depot/connected.ts'

const ask = (port: number, ca: string, { agent }: SignInConnections, host = '127.0.0.1') =>
  new Promise<IncomingMessage>((resolve, reject) => {
    request({ host, port, headers: { host: 'api.steampowered.com' }, ca, agent }, resolve)
      .on('error', reject)
      .end()
  })

test('without a proxy the connections of a sign-in are direct; closing ends their requests and refuses later ones', async () => {
  const asked = Promise.withResolvers<void>()
  const { key, cert } = await certificate()
  const server = createServer({ key, cert }, () => asked.resolve())
  const port = await listen(server)
  const connections = signInConnections(undefined)
  const answer = () => ask(port, cert, connections)
  const cut = expect(answer()).rejects.toMatchObject({ code: 'ECONNRESET' })
  await asked.promise
  connections.close()
  await cut
  await expect(answer()).rejects.toThrow('the sign-in has ended')
})

/** A proxy. @param tunnel called with the socket of each client that requests a tunnel */
async function proxy(tunnel: (client: Socket, target: string) => void): Promise<string> {
  const server = createProxy()
  server.on('connect', ({ url = '' }: IncomingMessage, client: Socket) => {
    client
      .on('error', () => client.destroy())
      .on('end', () => client.destroy())
      .resume()
    tunnel(client, url)
  })
  return `http://127.0.0.1:${await listen(server)}`
}

test('with a proxy the connections are tunnels, in which the certificate is checked against the name of the server', async () => {
  const made = await certificate()
  trust(made)
  const server = createServer(made, (_request, response) => response.end())
  const port = await listen(server)
  const targets: string[] = []
  const url = await proxy((client, target) => {
    targets.push(target)
    const upstream = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
    })
    upstream.on('error', () => client.destroy())
  })
  const connections = signInConnections(url)
  onTestFinished(connections.close)
  expect((await ask(8443, made.cert, connections, 'api.steampowered.com')).statusCode).toBe(200)
  await expect(ask(443, made.cert, connections, 'elsewhere.example')).rejects.toMatchObject({
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  })
  expect(targets).toEqual(['api.steampowered.com:8443', 'elsewhere.example:443'])
})

test.each([407, 502, 302])('a proxy that answers %i fails the connection and is named', async (status) => {
  const sockets: Socket[] = []
  const url = await proxy((client) => {
    sockets.push(client)
    client.write(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`)
  })
  const connections = signInConnections(url)
  await expect(ask(443, '', connections)).rejects.toThrow(`the proxy answered ${status}`)
  // It is not left open.
  await eventually(() => expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true]))
})

test('an unreachable proxy fails the connection', async () => {
  const connections = signInConnections('http://127.0.0.1:1')
  await expect(ask(443, '', connections)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test('closing ends the tunnels that a proxy has not opened yet, and refuses later ones', async () => {
  const asked = Promise.withResolvers<Socket>()
  const connections = signInConnections(await proxy((client) => asked.resolve(client)))
  const cut = expect(ask(443, '', connections)).rejects.toThrow('the sign-in has ended')
  const client = await asked.promise
  connections.close()
  await cut
  await eventually(() => expect(client.destroyed).toBe(true))
  await expect(ask(443, '', connections)).rejects.toThrow('the sign-in has ended')
})
