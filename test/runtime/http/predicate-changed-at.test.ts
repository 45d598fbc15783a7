import { describe, expect, test } from 'vitest'
import { status } from '../../../handlers/endpoints/status.ts'
import { playerFilter } from '../../../handlers/wait-parameters.ts'
import { filterChanges } from '../../../runtime/http/predicate-changed-at.ts'

const started = () => {
  let now = 1000
  const at = (time: number) => {
    now = time
  }
  return { changes: filterChanges(() => now), at }
}

describe('the time since which a filtered value holds', () => {
  test('starts when the value was first seen after another one', () => {
    const { changes, at } = started()
    changes.seen({ isReady: false })
    at(5000)
    expect(changes.seen({ isReady: true })).toBe(5000)
    at(9000)
    expect(changes.seen({ isReady: true })).toBe(5000)
  })

  test("starts with the process's first look, if no change was seen", () => {
    const { changes, at } = started()
    at(5000)
    expect(changes.seen({ day: 5 })).toBe(1000)
  })

  test('starts with the latest change of several filtered values', () => {
    const { changes, at } = started()
    changes.seen({ day: 5, isReady: false })
    at(2000)
    changes.seen({ day: 6, isReady: false })
    at(3000)
    changes.seen({ day: 6, isReady: true })
    at(4000)
    expect(changes.seen({ day: 6, isReady: true })).toBe(3000)
    expect(changes.seen({ day: 6 })).toBe(2000)
  })

  test('follows events of the game, without an earlier request', () => {
    const { changes, at } = started()
    at(2000)
    changes.heard({ type: 'player_joined', player: { id: 7n, name: 'Abby', isOnline: true } })
    at(3000)
    changes.heard({ type: 'status_changed', status: status.example })
    changes.heard({ type: 'status_changed', status: { ...status.example, day: 6 } })
    at(4000)
    expect(changes.seen({ [playerFilter(7n)]: true })).toBe(2000)
    expect(changes.seen({ day: 6 })).toBe(3000)
  })

  test('is dropped for filters that were last used long ago', () => {
    const { changes, at } = started()
    changes.seen({ first: 1 })
    at(2000)
    changes.seen({ first: 2 })
    for (let id = 0; id < 1000; id += 1) changes.seen({ [`player ${id}`]: false })
    expect(changes.seen({ first: 2 })).toBe(1000)
  })

  test('starts when a player left, for a filter that waits for that', () => {
    const { changes, at } = started()
    at(2000)
    changes.heard({ type: 'player_left', player: { id: 7n, name: 'Abby', isOnline: false } })
    at(4000)
    expect(changes.seen({ [playerFilter(7n)]: false })).toBe(2000)
    expect(changes.seen({ [playerFilter(7n)]: true })).toBe(4000)
  })

  test('is not changed by events of other kinds', () => {
    const { changes, at } = started()
    changes.seen({ [playerFilter(7n)]: true })
    at(2000)
    changes.heard({ type: 'rendering_changed', fps: 15 })
    expect(changes.seen({ [playerFilter(7n)]: true })).toBe(1000)
  })

  test('is kept for a thousand filters', () => {
    const { changes, at } = started()
    changes.seen({ first: 1 })
    at(2000)
    changes.seen({ first: 2 })
    for (let id = 0; id < 999; id += 1) changes.seen({ [`player ${id}`]: false })
    expect(changes.seen({ first: 2 })).toBe(2000)
  })
})
