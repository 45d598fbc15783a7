/** farmgate before a stand-in game server, and clients that ask it and chat. */
import { Agent, get, request } from 'node:http'
import { expect, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { parseJson } from '../../../lib/json.ts'
import { eventually } from '../../wait.ts'
import { tenthOfBudgets } from '../upstream-game.ts'
import { startPair } from './pair.ts'

export const key = 'the key that both of them share'
export const id = 2n ** 53n + 1n
export const limits = { ...tenthOfBudgets, backOffTo: 200 }

export const started = async (options: Parameters<typeof startPair>[0] = {}) => {
  const pair = await startPair({ key, limits, gameThreadBudget: limits.budgetOf('setTime') + 20, ...options })
  onTestFinished(() => pair.close())
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  const ask = (path: string, method = 'GET') =>
    new Promise<{ status: number; body: unknown }>((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}` }
      const asked = (method === 'GET' ? get : request)(pair.gate.url + path, { agent, headers, method })
      asked.on('error', reject)
      asked.on('response', async (response) => {
        let text = ''
        for await (const chunk of response) text += String(chunk)
        resolve({ status: response.statusCode ?? 0, body: parseJson(text) })
      })
      asked.end()
    })
  await eventually(async () => expect((await ask('/ready')).status).toBe(200))
  return { ...pair, ask }
}

/**
 * An authenticated chat client, and the messages that it receives. It sends `since`, so that it stays connected while
 * the game is away.
 */
export async function chatter(url: string) {
  const heard: Record<string, unknown>[] = []
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`)
  onTestFinished(() => socket.terminate())
  socket.on('message', (bytes) => heard.push(JSON.parse(String(bytes))))
  socket.on('open', () => socket.send(JSON.stringify({ type: 'auth', payload: { token: key, since: 0 } })))
  await eventually(() => expect(heard).toContainEqual({ type: 'auth_success' }))
  const say = (message: string) =>
    socket.send(JSON.stringify({ type: 'chat_send', payload: { author: 'Bot', message } }))
  return { heard, say }
}
