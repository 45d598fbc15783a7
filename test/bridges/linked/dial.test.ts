/** How the farm opens and closes its link: over real sockets, to a faulty edge. */

import { describe, expect, test, vi } from 'vitest'
import { maxEdgeFrame } from '../../../bridges/linked/protocol.ts'
import { countingGame, type HostileEdgeOptions, hostileEdge } from '../../edge/hostile-edge.ts'
import { eventually } from '../../wait.ts'
import { manualClock } from '../manual-clock.ts'

const hello = expect.objectContaining({ type: 'hello', version: 1, run: 'run of a test' })

/** A farm with timers that the test moves, and an edge that the test controls. */
async function dialled(options: HostileEdgeOptions = {}) {
  const { game } = countingGame({ holds: false })
  const edge = await hostileEdge(game, { clock: manualClock(), ...options })
  return {
    ...edge,
    logged: () => edge.lines.map(({ level, message, fields }) => ({ level, message, ...fields })),
  }
}

/** The log's line about a lost link. */
const offline = (address: string, cause: string, words: string) => ({
  level: 'warn',
  address,
  cause,
  message: `no link to the edge: ${words}`,
})

describe('the handshake', () => {
  test('asks for /link below the address of the edge, with the link key, and offers no compression', async () => {
    const { attempts, links } = await dialled({ path: '/farms/clover' })
    await eventually(() => expect(links[0]?.heard).toEqual([hello]))
    const { url, headers } = attempts[0] ?? {}
    expect([url, headers?.authorization]).toEqual(['/farms/clover/link', 'Bearer a link key'])
    expect(headers).not.toHaveProperty('sec-websocket-extensions')
  })

  test('without an answer within 10 s is aborted', async () => {
    const edge = await dialled({ handshake: () => undefined })
    await eventually(() => expect(edge.attempts).toHaveLength(1))
    edge.pass(9999)
    expect(edge.lines).toEqual([])
    edge.pass(1)
    await eventually(() =>
      expect(edge.logged()).toEqual([offline(edge.address, 'no_answer', 'no answer within 10 s')]),
    )
  })

  test('does not follow a redirect: the key goes to no other address', async () => {
    const edge = await dialled({
      handshake: (_info, answer) => answer(false, 302, 'Found', { Location: '/elsewhere/link' }),
    })
    await eventually(() =>
      expect(edge.logged()).toEqual([
        offline(edge.address, 'not_its_api', 'what answers there is no edge with this farm (status 302)'),
      ]),
    )
    expect(edge.attempts).toHaveLength(1)
  })

  test('with a refused key is an error in the log, also when the edge then answers 429', async () => {
    const statuses = [401, 429, 401]
    const edge = await dialled({ handshake: (_info, answer) => answer(false, statuses.shift()) })
    for (const attempt of [1, 2, 3]) {
      await eventually(() => expect(edge.waits()).toBe(attempt))
      expect(edge.attempts).toHaveLength(attempt)
      edge.pass(15_000)
    }
    expect(edge.logged()).toEqual([
      {
        level: 'error',
        address: edge.address,
        cause: 'key_refused',
        message: 'the edge refuses the link key: check EDGE_LINK_KEY',
      },
    ])
  })
})

describe('the link', () => {
  test('is open from the welcome of the edge until it is lost', async () => {
    const edge = await dialled()
    await eventually(() => expect(edge.links[0]?.heard).toEqual([hello]))
    expect(edge.farm.isOpen).toBe(false)
    const attacker = await edge.link()
    await eventually(() => expect(edge.farm.isOpen).toBe(true))
    expect(edge.logged()).toEqual([{ level: 'info', address: edge.address, message: 'linked to the edge' }])
    attacker.ws.close(1001)
    await eventually(() => expect(edge.farm.isOpen).toBe(false))
  })

  test('is dropped without an answer to its hello within 10 s', async () => {
    const edge = await dialled()
    await eventually(() => expect(edge.links[0]?.heard).toEqual([hello]))
    edge.pass(10_000)
    expect(await edge.links[0]?.closed).toBe(1006)
    await eventually(() =>
      expect(edge.logged()).toEqual([offline(edge.address, 'no_answer', 'no answer within 10 s')]),
    )
  })

  test('sends a heartbeat every 12 s, and is dropped without an answer within 10 s', async () => {
    const edge = await dialled()
    const attacker = await edge.link()
    await eventually(() => expect(edge.farm.isOpen).toBe(true))
    const pings = () => attacker.heard.filter(({ type }) => type === 'ping').length
    for (const beat of [1, 2, 3]) {
      edge.pass(12_000)
      await eventually(() => expect(pings()).toBe(beat))
      if (beat < 3) {
        attacker.send({ type: 'pong' })
        // The answer to this call shows that the farm has read the pong before it.
        attacker.send({ type: 'call', id: beat, method: 'none', args: [] })
        await eventually(() => expect(attacker.heard.at(-1)?.id).toBe(beat))
      }
    }
    edge.pass(10_000)
    expect(await attacker.closed).toBe(1006)
    await eventually(() => expect(edge.farm.isOpen).toBe(false))
    expect(edge.logged().at(-1)).toEqual(offline(edge.address, 'no_answer', 'no answer within 10 s'))
  })

  test.each([
    ['a binary frame', Buffer.from('{"type":"look"}'), 1003, '1003'],
    ['a frame of another protocol', 'garbage', 4400, '4400'],
    ['a frame of more than 272 KiB', 'x'.repeat(maxEdgeFrame + 1), 1009, 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH'],
  ])(
    'is closed after %s, and the log says that the edge broke the protocol',
    async (_what, frame, code, reported) => {
      const edge = await dialled()
      const attacker = await edge.link()
      attacker.ws.send(frame)
      expect(await attacker.closed).toBe(code)
      await eventually(() =>
        expect(edge.logged().at(-1)).toEqual(
          offline(
            edge.address,
            'protocol_broken',
            `the edge does not keep to the protocol of the link (${reported})`,
          ),
        ),
      )
    },
  )

  test('accepts a frame of 272 KiB', async () => {
    const edge = await dialled()
    const attacker = await edge.link()
    const call = { type: 'call', id: 1, method: '', args: [] }
    const method = 'x'.repeat(maxEdgeFrame - JSON.stringify(call).length)
    attacker.send({ ...call, method })
    await eventually(() => expect(attacker.heard.at(-1)).toMatchObject({ type: 'failure', id: 1 }))
  })

  test('is dropped 1 s after the farm closed it when the edge does not answer the close', async () => {
    const edge = await dialled()
    const attacker = await edge.link()
    await eventually(() => expect(edge.farm.isOpen).toBe(true))
    const answer = vi.spyOn(attacker.ws, 'close').mockReturnValue()
    attacker.send('garbage')
    await eventually(() => expect(answer).toHaveBeenCalledOnce())
    expect(edge.farm.isOpen).toBe(true)
    edge.pass(1000)
    await eventually(() => expect(edge.farm.isOpen).toBe(false))
    expect(edge.logged().at(-1)).toMatchObject({ cause: 'protocol_broken' })
  })
})

describe('a stopping farm', () => {
  test('closes the link with 1001 and logs nothing', async () => {
    const edge = await dialled()
    const attacker = await edge.link()
    await eventually(() => expect(edge.farm.isOpen).toBe(true))
    await edge.farm.close()
    expect([await attacker.closed, edge.farm.isOpen, edge.lines.length]).toEqual([1001, false, 1])
    edge.pass(600_000)
    expect(edge.attempts).toHaveLength(1)
  })

  test('drops the link after 1 s when the edge does not answer the close', async () => {
    const edge = await dialled()
    const attacker = await edge.link()
    await eventually(() => expect(edge.farm.isOpen).toBe(true))
    vi.spyOn(attacker.ws, 'close').mockReturnValue()
    const closing = edge.farm.close()
    edge.pass(1000)
    await closing
    edge.pass(600_000)
    expect(edge.attempts).toHaveLength(1)
  })

  test('aborts a handshake', async () => {
    const edge = await dialled({ handshake: () => undefined })
    await eventually(() => expect(edge.attempts).toHaveLength(1))
    await edge.farm.close()
    edge.pass(600_000)
    expect([edge.attempts.length, edge.lines]).toEqual([1, []])
  })

  test('makes no further attempt', async () => {
    const edge = await dialled({ handshake: (_info, answer) => answer(false, 503) })
    await eventually(() => expect(edge.lines).toHaveLength(1))
    await edge.farm.close()
    edge.pass(600_000)
    expect(edge.attempts).toHaveLength(1)
  })
})
