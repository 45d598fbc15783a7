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

export const postKey = (server: Server, json: unknown) => askWithKey(server, 'POST', '/keys', { json })

export async function makeKey(server: Server, ...held: Scope[]): Promise<Made> {
  const { status, json: made } = await postKey(server, { name: `a key for ${held.join()}`, scopes: held })
  expect(status).toBe(201)
  return made as Made
}

export const revoke = (server: Server, { id }: Pick<Made, 'id'>) =>
  askWithKey(server, 'DELETE', `/keys?id=${id}`)
