/** A game, or a proxy before it, that repeats the key of a request. */
import { describe, expect, test } from 'vitest'
import { withoutKey } from '../../../bridges/upstream/without-key.ts'
import type { GameEvent } from '../../../handlers/game-event.ts'
import type { Fault } from '../../game-server/faults.ts'
import { eventually } from '../../wait.ts'
import { ownGame } from '../own-game.ts'

const key = 'Echo/Echo+Echo"Echo\\Echo&Ec=='

async function started() {
  const game = await ownGame({ key })
  const events: GameEvent[] = []
  game.bridge.subscribe((event) => void events.push(event))
  return { ...game, events }
}
/** Everything that the log and callers received. */
const shown = (...reported: readonly unknown[]) =>
  JSON.stringify(reported, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))

describe('a key that the game repeats is in no log line, answer or event', () => {
  const json = (body: object) => JSON.stringify(body)
  test.each<[string, Partial<Extract<Fault, { kind: 'status' }>>]>([
    ['the sentence of an error', { status: 400, body: json({ success: false, error: `no ${key}` }) }],
    ['a reason that is shown', { status: 400, body: json({ success: false, error: `not enabled: ${key}` }) }],
    ['a rejection with status 200', { status: 200, body: json({ success: false, error: `no ${key}` }) }],
    ['a name of a member', { status: 200, body: json({ [key]: 1 }) }],
    ['text that is not JSON', { status: 200, body: `Authorization: Bearer ${key}` }],
    ['the content type', { status: 500, body: '', headers: { 'content-type': `text/${key}` } }],
    ['a proxy that answers so', { status: 502, body: `<html>${key}`, headers: { 'content-type': key } }],
  ])('%s', async (_what, fault) => {
    const { bridge, server, logged, events } = await started()
    await eventually(async () => expect((await bridge.status()).isOnline).toBe(true))
    server.faults.set({ kind: 'status', status: 500, body: '', ...fault })
    const calls = [
      bridge.players(),
      bridge.settings(),
      bridge.screenshot(),
      bridge.diagnostics([]),
      bridge.setRendering(7),
      bridge.setTime(900),
      bridge.grantAdmin({ id: 1n, label: 'Abby' }),
    ]
    const reported = (await Promise.allSettled(calls)).map((call) =>
      call.status === 'rejected' ? [call.reason, call.reason.failure, call.reason.cause] : call.value,
    )
    await eventually(() => expect(bridge.health().gameAvailable).toBe(false))
    expect(shown(reported, logged, events)).not.toContain('Echo')
  })

  test('its status, its players and its chat', async () => {
    const { bridge, server, logged, events } = await started()
    server.world.farmName = `Farm ${key}`
    await eventually(async () => expect((await bridge.status()).farmName).toBe('Farm ***'))
    server.world.say('Abby', `my key is ${key}`)
    await eventually(() =>
      expect(events).toContainEqual(expect.objectContaining({ type: 'chat', message: 'my key is ***' })),
    )
    expect(shown(logged, events, await bridge.status())).not.toContain('Echo')
  })
})

describe('the key is blanked', () => {
  const blank = withoutKey(key)
  test.each([
    ['as it is', key],
    ['in JSON', JSON.stringify(key).slice(1, -1)],
    ['as .NET escapes it', 'Echo/Echo\\u002BEcho\\u0022Echo\\\\Echo\\u0026Ec=='],
    ['as PHP escapes it', 'Echo\\/Echo+Echo\\"Echo\\\\Echo&Ec=='],
    ['with every character escaped', Array.from(key, (c) => `\\u00${c.charCodeAt(0).toString(16)}`).join('')],
  ])('%s', (_how, text) => {
    expect(blank(`{"error":"${text} and ${text}"}`)).toBe('{"error":"*** and ***"}')
  })

  test('a text without it stays as it is, and so does every text where the key is too short to be a secret', () => {
    expect(blank('Echo/Echo')).toBe('Echo/Echo')
    expect(withoutKey('')('any text')).toBe('any text')
    expect(withoutKey('1234567')('{"id":12345678}')).toBe('{"id":12345678}')
  })
})
