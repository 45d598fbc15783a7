/** Requests of Discord: their signatures, as in Discord's documents, and their form. */
import { expect, test } from 'vitest'
import { commandBody, nowInSeconds, sendSigned, signatureOf } from '../../discord/signed.ts'
import { ask, askWithKey, expectProblem } from '../request.ts'
import type { ServerUnderTest } from '../server-under-test.ts'
import { privately } from './discord-guild.ts'

export const ping = '{"id":"1","application_id":"2","type":1,"version":1}'

export function signedRequests(server: () => ServerUnderTest): void {
  test('a PING is answered with a PONG', async () => {
    const { status, text, headers } = await sendSigned(server(), ping)
    expect([status, text, headers.get('content-type')]).toEqual([200, '{"type":1}', 'application/json'])
  })

  test('one trailing slash is tolerated, also with a body', async () => {
    const timestamp = nowInSeconds()
    const pinged = await ask(server(), 'POST', '/discord/interactions/', {
      headers: {
        'X-Signature-Ed25519': signatureOf(timestamp, ping),
        'X-Signature-Timestamp': timestamp,
      },
      body: ping,
    })
    expect(pinged.text).toBe('{"type":1}')
    const made = await askWithKey(server(), 'POST', '/keys/', {
      headers: { 'Content-Type': 'application/json' },
      body: '{"name":"Bot","scopes":["chat"]}',
    })
    expect(made.status).toBe(201)
  })

  test('the signature covers the exact bytes: any other is 401, for any body', async () => {
    const timestamp = nowInSeconds()
    const unsigned = (headers: Record<string, string>, body = ping) =>
      ask(server(), 'POST', '/discord/interactions', { headers, body })
    const signature = signatureOf(timestamp, ping)
    const refused = [
      await sendSigned(server(), ping, { sent: ping.replace('"2"', '"3"') }),
      await sendSigned(server(), ping, { sent: `\uFEFF${ping}` }),
      await sendSigned(server(), ping, { sent: 'no JSON' }),
      await sendSigned(server(), ping, {
        headers: { 'X-Signature-Timestamp': String(Number(timestamp) - 1) },
      }),
      await sendSigned(server(), ping, {
        headers: { 'X-Signature-Ed25519': signature.replace(/^../, '') },
      }),
      await sendSigned(server(), ping, { headers: { 'X-Signature-Ed25519': '0'.repeat(128) } }),
      await unsigned({}),
      await unsigned({ 'X-Signature-Ed25519': signature }),
      await unsigned({ 'X-Signature-Timestamp': timestamp }),
      await unsigned({ Authorization: `Bearer ${server().key}` }),
    ]
    for (const reply of refused) expectProblem(reply, 401, 'unauthorized')
  })

  test('a press of a button, which farmgate never sends, is answered as unknown', async () => {
    const press = JSON.stringify({ ...JSON.parse(commandBody('status', { guild: '1' })), type: 3 })
    expect(privately(await sendSigned(server(), press))).toBe('farmgate makes no such messages.')
  })
}
