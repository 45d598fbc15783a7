/** A server over TLS, a proxy before it, and a process with a request to it. */
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import type { Certificate } from '../../platform/certificate.ts'
import { seededBytes } from '../../platform/seeded.ts'
import { listen } from './connected.ts'
import type { FetchOrder } from './fetch-child.ts'
import { spawnOf } from './spawn.ts'

export const crop = seededBytes(7, 300_000)

/** Serves the crop over TLS. */
export async function secureFarm({ key, cert }: Certificate) {
  const hosts: (string | undefined)[] = []
  const server = https.createServer({ key, cert }, ({ headers }, response) => {
    hosts.push(headers.host)
    response.writeHead(200, { 'content-length': crop.length }).end(crop)
  })
  const port = await listen(server)
  return { url: `https://127.0.0.1:${port}/crop`, port, hosts }
}

/** A proxy for which every name is loopback; it opens tunnels, unless `refuse` handles the request. */
export async function tunnels(refuse?: (socket: net.Socket) => void, over?: Certificate) {
  const asked: [string | undefined, string | undefined][] = []
  const server = over === undefined ? http.createServer() : https.createServer(over)
  server.on('connect', (request, socket: net.Socket) => {
    asked.push([request.url, request.headers['proxy-authorization']])
    if (refuse !== undefined) {
      socket.resume().on('end', () => socket.end())
      return refuse(socket)
    }
    const farm = net.connect(Number(request.url?.split(':')[1]), '127.0.0.1')
    onTestFinished(() => void farm.destroy())
    for (const [from, to] of [
      [socket, farm],
      [farm, socket],
    ] as const) {
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
    }
    farm.on('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(farm).pipe(socket)
    })
  })
  return { port: await listen(server), asked }
}

/** The output of a process that trusts the authorities in a file, once it has ended. */
export async function child(order: FetchOrder, authorities?: string): Promise<string> {
  const program = fileURLToPath(new URL('fetch-child.ts', import.meta.url))
  const environment = authorities === undefined ? {} : { NODE_EXTRA_CA_CERTS: authorities }
  const { code, stdout, stderr } = await spawnOf([program, JSON.stringify(order)], environment)
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}
