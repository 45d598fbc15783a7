/** Messages for an operator whose server cannot listen on the address and port of its environment. */
import { createServer, isIP } from 'node:net'
import type { EnvironmentProblem } from './environment.ts'
import { errorCode } from './error-code.ts'

/** The variables of a process that say where it listens. */
export interface ListenVariables {
  readonly host: string
  readonly port: string
}

const remedy = 'use an address of this machine, 0.0.0.0 for all of them or 127.0.0.1 for this machine alone'

/**
 * Checks whether this machine can listen on an address, by listening there on a free port for a moment.
 * @returns the problem of the variable; undefined when the address is valid
 */
export function hostProblem(variable: string, host: string): Promise<EnvironmentProblem | undefined> {
  const problemOf = (wrong: string) => ({
    variable,
    problem: `is ${JSON.stringify(host)}, ${wrong}; ${remedy}`,
  })
  if (isIP(host) === 0 && !/^[A-Za-z0-9._-]+$/.test(host))
    return Promise.resolve(problemOf('which is neither an IP address nor a host name'))
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', (error) => resolve(isWrongHost(error) ? problemOf(wordsOf(error)) : undefined))
    server.listen({ host, port: 0 }, () => server.close(() => resolve(undefined)))
  })
}

/** @returns one line about why a server could not listen, naming the variable to change; undefined for other errors */
export function listenProblem(
  error: unknown,
  { port, host }: { readonly port: number; readonly host: string | undefined },
  variables: ListenVariables,
): string | undefined {
  if (isWrongHost(error)) return `${variables.host} is ${JSON.stringify(host)}, ${wordsOf(error)}; ${remedy}`
  const code = errorCode(error)
  if (code === 'EADDRINUSE')
    return `port ${port} is in use by another process; set ${variables.port} to another port, or end that process`
  if (code === 'EACCES')
    return `port ${port} may not be used by this user; set ${variables.port} to 1024 or more`
  return undefined
}

/** Whether an error of `listen` is about the address and not about the port. */
export const isWrongHost = (error: unknown): boolean => Object.hasOwn(wrongHosts, errorCode(error) ?? '')

const wordsOf = (error: unknown): string => wrongHosts[errorCode(error) ?? ''] ?? ''

const unresolved = 'which is neither an IP address nor a name that resolves'
const wrongHosts: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: 'which is not an address of this machine',
  EAFNOSUPPORT: 'an address of a kind that this machine does not have',
  EINVAL: 'which is not an address to listen on',
  ENOTFOUND: unresolved,
  EAI_AGAIN: unresolved,
}
