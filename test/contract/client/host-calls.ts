/** Every call about the game's process, once. */
import { expect } from 'vitest'
import type { Farm, HostOperation } from '../../../client/index.ts'
import { eventually } from '../../wait.ts'
import type { CallsUnderTest } from './call-under-test.ts'

/** Waits until the pending operation has ended. */
export const ended = (farm: Farm, { id }: HostOperation): Promise<HostOperation> =>
  eventually(async () => {
    const found = (await farm.hostOperations()).operations.find((one) => one.id === id)
    expect(found?.endedAt).toEqual(expect.any(String))
    return found ?? expect.fail('no such operation')
  })

/** Puts the game into this state, after any other tests. */
async function brought(farm: Farm, state: 'running' | 'stopped'): Promise<void> {
  const { operation, state: found } = await farm.host()
  if (operation !== null) await ended(farm, operation)
  if (found === state) return
  const { operation: bringing } = await (state === 'running'
    ? farm.startGame()
    : farm.stopGame({ warnMinutes: [] }))
  await ended(farm, bringing)
}

export const hostCalls = {
  async host(farm) {
    await brought(farm, 'running')
    const host = await farm.host()
    expect(host).toMatchObject({ driver: 'docker', state: 'running', operation: null })
    return host
  },
  async startGame(farm) {
    await brought(farm, 'stopped')
    const begun = await farm.startGame({ reason: 'It is morning' })
    expect(begun.operation).toMatchObject({ action: 'start', reason: 'It is morning' })
    expect(await ended(farm, begun.operation)).toMatchObject({ state: 'succeeded' })
    return begun
  },
  async stopGame(farm) {
    await brought(farm, 'running')
    const begun = await farm.stopGame({ warnMinutes: [] })
    expect(await ended(farm, begun.operation)).toMatchObject({ action: 'stop', state: 'succeeded' })
    await brought(farm, 'running')
    return begun
  },
  async restartGame(farm) {
    await brought(farm, 'running')
    const { restartsToday } = await farm.host()
    const begun = await farm.restartGame({ warnMinutes: [], backup: false })
    expect(await ended(farm, begun.operation)).toMatchObject({
      action: 'restart',
      state: 'succeeded',
      by: { id: 'api_key', name: 'API_KEY' },
    })
    expect((await farm.host()).restartsToday).toBe(restartsToday + 1)
    return begun
  },
  async hostOperations(farm) {
    await brought(farm, 'running')
    const { operation } = await farm.restartGame({ when: 'night' })
    const listed = await farm.hostOperations()
    expect(listed.operations[0]).toEqual(operation)
    await farm.cancelHostOperation(operation)
    return listed
  },
  async cancelHostOperation(farm) {
    await brought(farm, 'running')
    const { operation } = await farm.restartGame({ when: 'night' })
    const cancelled = await farm.cancelHostOperation({ id: operation.id })
    expect(cancelled.operation).toMatchObject({ id: operation.id, state: 'cancelled' })
    return cancelled
  },
  async hostLog(farm) {
    await farm.typeAtConsole({ line: 'help' })
    const log = await farm.hostLog({ lines: 1 })
    expect(log).toEqual({ lines: [{ text: '> help' }] })
    return log
  },
  async typeAtConsole(farm) {
    const typed = await farm.typeAtConsole({ line: 'info' })
    expect(typed.output).toContain('> info')
    return typed
  },
} satisfies Partial<CallsUnderTest>
