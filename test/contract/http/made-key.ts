/** Named keys that tests make and revoke. */
import { expect } from 'vitest'
import type { Scope } from '../../../handlers/key-holder.ts'
import { askWithKey } from '../request.ts'
import type { ServerUnderTest } from '../server-under-test.ts'

type Server = Pick<ServerUnderTest, 'url' | 'key'>
export interface Made {
  readonly id: string
  readonly key: string
}

const json = { 'Content-Type': 'application/json' }
export const postKey = (server: Server, body: unknown, headers: Record<string, string> = json) =>
  askWithKey(server, 'POST', '/keys', {
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

export async function makeKey(server: Server, ...held: Scope[]): Promise<Made> {
  const { status, json: made } = await postKey(server, { name: `a key for ${held.join()}`, scopes: held })
  expect(status).toBe(201)
  return made as Made
}

export const revoke = (server: Server, { id }: Made) => askWithKey(server, 'DELETE', `/keys?id=${id}`)
