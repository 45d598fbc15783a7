/** Common parts of the tests of all bridges: starting a bridge, and the failure of a call. */
import { expect, onTestFinished } from 'vitest'
import { FarmError, type FarmFailure } from '../../../handlers/farm-error.ts'
import type { GameBridge } from '../../../handlers/game-bridge.ts'
import type { GameEvent } from '../../../handlers/game-event.ts'
import { eventually } from '../../wait.ts'
import type { BridgeUnderTest } from '../steered-game.ts'

export type Start = () => Promise<BridgeUnderTest>

/** Ids that a double cannot hold or that are negative: just above 2^53, below zero, and both ends of int64. */
export const awkwardIds = [
  2n ** 53n + 1n,
  -(2n ** 53n) - 1n,
  6_208_260_877_024_290_921n,
  -3_311_223_344_556_677_889n,
  2n ** 63n - 1n,
  -(2n ** 63n),
] as const

/** Starts a bridge, waits until its game is available, and closes both at the end of the test. */
export async function started(start: Start): Promise<BridgeUnderTest & { events: readonly GameEvent[] }> {
  const under = await start()
  onTestFinished(async () => {
    await under.bridge.close()
    await under.close()
  })
  const events: GameEvent[] = []
  under.bridge.subscribe((event) => events.push(event))
  await eventually(async () => {
    expect(under.bridge.health().gameAvailable).toBe(true)
    expect((await under.bridge.status()).isOnline).toBe(true)
    await Promise.all([under.bridge.players(), under.bridge.farmhands(), under.bridge.cabins()])
  })
  return { ...under, events }
}

/** The failure of a call that must fail. */
export async function failureOf(call: Promise<unknown>): Promise<FarmFailure> {
  const error: unknown = await call.then(
    (answer) => expect.fail(`answered ${String(answer)}`),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(FarmError)
  return error instanceof FarmError ? error.failure : expect.fail('no FarmError')
}

/** The failure of a write whose answer is lost. */
export const unknownOutcome: FarmFailure = { kind: 'timeout', write: true }

/** The result of a call, or undefined when it fails with `unsupported`. */
export async function unlessUnsupported<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    expect(error).toBeInstanceOf(FarmError)
    if (error instanceof FarmError && error.failure.kind === 'unsupported') return undefined
    throw error
  }
}

export const person = (id: bigint) => ({ id, label: `id=${id}` })

export const playerIds = async (bridge: GameBridge) => (await bridge.players()).players.map(({ id }) => id)
export const farmhandIds = async (bridge: GameBridge) =>
  (await bridge.farmhands()).farmhands.map(({ id }) => id)
