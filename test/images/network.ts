/** Requests from places in a machine's networks. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { eventually } from '../wait.ts'
import { forward } from './forward.ts'
import type { Machine } from './machine.ts'

const fetchIt = `
fetch(process.argv[1], { headers: JSON.parse(process.argv[2]), signal: AbortSignal.timeout(5000) }).then(
  async (answer) => console.log(answer.status, await answer.text()),
  (error) => console.log(error.cause?.code ?? error.name))`

/** @returns status and body, or the code of the error, of a program's request, for example in a container */
export const fetchFrom = (
  machine: Machine,
  url: string,
  [program, ...args]: readonly [string, ...string[]],
  headers: Readonly<Record<string, string>> = {},
) => machine.run(program, ...args, '-e', fetchIt, url, JSON.stringify(headers))

/** The address of the machine in a network with another one. */
export const address = '192.0.2.1'

/** Connects another machine by a cable. @returns the program and arguments that start Node there */
export async function connectNeighbour(machine: Machine): Promise<readonly [string, ...string[]]> {
  const other = ['netns', 'exec', 'neighbour', 'ip'] as const
  for (const args of [
    ['netns', 'add', 'neighbour'],
    ['link', 'add', 'cable', 'type', 'veth', 'peer', 'name', 'cable', 'netns', 'neighbour'],
    ['address', 'add', `${address}/24`, 'dev', 'cable'],
    ['link', 'set', 'cable', 'up'],
    [...other, 'address', 'add', '192.0.2.2/24', 'dev', 'cable'],
    [...other, 'link', 'set', 'cable', 'up'],
  ])
    await machine.run('ip', ...args)
  return ['ip', 'netns', 'exec', 'neighbour', process.execPath]
}

const forwarder = fileURLToPath(new URL('./forward.ts', import.meta.url))

/** Makes a port of the machine reachable for a browser, as `ssh -L` does. @returns its address here */
export async function reach(machine: Machine, port: number): Promise<{ url: string; close(): void }> {
  const path = join(machine.folder, 'reached')
  const script = `
    const { forward } = await import(${JSON.stringify(forwarder)})
    forward({ path: ${JSON.stringify(path)} }, { port: ${port}, host: '127.0.0.1' })`
  const { program, args, env } = machine.command(process.execPath, '--input-type=module', '-e', script)
  // It ends with the machine.
  spawn(program, args, { env, stdio: 'inherit' })
  await eventually(() => existsSync(path))
  const server = forward({ port: 0, host: '127.0.0.1' }, { path })
  await new Promise((resolve) => server.once('listening', resolve))
  const { port: own } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${own}`, close: () => void server.close() }
}
