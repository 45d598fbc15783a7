import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Listens. @throws the error of the system: a port in use, an unknown host */
export const listening = (
  server: Server,
  { port, host }: { readonly port: number; readonly host?: string },
) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, ...(host !== undefined && { host }) }, () => {
      server.off('error', reject)
      resolve()
    })
  })

/** Where a server listens, as a client on this machine would write it in a URL. */
export function addressOf(server: Server): { readonly host: string; readonly port: number } {
  const { port, address } = server.address() as AddressInfo
  const isEverywhere = address === '::' || address === '0.0.0.0'
  return { port, host: isEverywhere ? 'localhost' : address.includes(':') ? `[${address}]` : address }
}
