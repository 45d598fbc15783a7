/** A client with the key that repeats one request and measures the time of each answer. */
import { Agent, get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

export interface Measured {
  /** Milliseconds of each answer. */
  readonly times: readonly number[]
  /** How often an answer was not 200, by status or by code of the error. */
  readonly failures: Readonly<Record<string, number>>
}

/**
 * Sends one request after another, at most 50 a second, until so many seconds are over. @param url for example
 * `http://127.0.0.1:8080` @param connections one for all requests, or one for each
 */
export async function measure(
  url: string,
  key: string,
  seconds: number,
  path = '/players',
  connections: 'kept' | 'new' = 'kept',
): Promise<Measured> {
  const agent = new Agent({ keepAlive: connections === 'kept', maxSockets: 1 })
  const times: number[] = []
  const failures: Record<string, number> = {}
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    const began = performance.now()
    const outcome = await ask(`${url}${path}`, key, agent)
    const took = performance.now() - began
    times.push(took)
    if (outcome !== '200') failures[outcome] = (failures[outcome] ?? 0) + 1
    await pause(Math.max(0, 20 - took))
  }
  agent.destroy()
  return { times, failures }
}

function ask(url: string, key: string, agent: Agent): Promise<string> {
  return new Promise((resolve) => {
    const request = get(url, { agent, headers: { Authorization: `Bearer ${key}` }, timeout: 30_000 })
    request.on('timeout', () => request.destroy(Object.assign(new Error(), { code: 'no answer in 30 s' })))
    request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    request.on('response', (response) => {
      response.resume().on('close', () => resolve(String(response.statusCode)))
    })
  })
}
