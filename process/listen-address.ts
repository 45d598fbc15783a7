/** What to tell an operator whose server cannot listen where the environment says. */
import { createServer, isIP } from 'node:net'
import type { EnvironmentProblem } from './environment.ts'

/** The variables of a process that say where it listens. */
export interface ListenVariables {
  readonly host: string
  readonly port: string
}

const remedy = 'use an address of this machine, 0.0.0.0 for all of them or 127.0.0.1 for this machine alone'

/**
 * Finds out, by listening on a free port for a moment, whether this machine can listen on an address.
 * @returns what is wrong with the variable, or undefined
 */
export function hostProblem(variable: string, host: string): Promise<EnvironmentProblem | undefined> {
  const tell = (wrong: string) => ({ variable, problem: `is ${JSON.stringify(host)}, ${wrong}; ${remedy}` })
  if (isIP(host) === 0 && !/^[A-Za-z0-9._-]+$/.test(host))
    return Promise.resolve(tell('which is neither an IP address nor a host name'))
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', (error) => resolve(isWrongHost(error) ? tell(wordsOf(error)) : undefined))
    server.listen({ host, port: 0 }, () => server.close(() => resolve(undefined)))
  })
}

/** @returns one line about a server that could not listen, with the variable that mends it; undefined for other errors */
export function listenProblem(
  error: unknown,
  { port, host }: { readonly port: number; readonly host: string | undefined },
  variables: ListenVariables,
): string | undefined {
  if (isWrongHost(error)) return `${variables.host} is ${JSON.stringify(host)}, ${wordsOf(error)}; ${remedy}`
  const code = codeOf(error)
  if (code === 'EADDRINUSE')
    return `port ${port} is in use by another process; set ${variables.port} to another port, or end that process`
  if (code === 'EACCES')
    return `port ${port} may not be used by this user; set ${variables.port} to 1024 or more`
  return undefined
}

/** Whether an error of `listen` says that the address is wrong, whatever the port. */
export const isWrongHost = (error: unknown): boolean => Object.hasOwn(wrongHosts, codeOf(error))

const wordsOf = (error: unknown): string => wrongHosts[codeOf(error)] ?? ''

const unresolved = 'which is no IP address and no name that resolves'
const wrongHosts: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: 'which is no address of this machine',
  EAFNOSUPPORT: 'an address of a kind that this machine does not have',
  EINVAL: 'which is no address that can be listened on',
  ENOTFOUND: unresolved,
  EAI_AGAIN: unresolved,
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
