import { listenProblem } from '../../lib/listen-address.ts'
import type { Config } from './config.ts'

export const listenVariables = { host: 'API_HOST', port: 'API_PORT' }

/** @returns one line about why a control API could not start */
export const startProblem = (error: unknown, { API_PORT: port, API_HOST: host }: Config): string =>
  listenProblem(error, { port, host }, listenVariables) ??
  (error instanceof Error ? error.message : 'unknown reason')
