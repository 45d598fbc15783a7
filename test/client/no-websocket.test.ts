import { afterEach, expect, test, vi } from 'vitest'
import { connect } from '../../client/index.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

test('live() where there is no global WebSocket, as on Node 20, says how to pass one', () => {
  vi.stubGlobal('WebSocket', undefined)
  const farm = connect({ url: 'http://localhost:8080', key: 'k' })
  expect(() => farm.live()).toThrow('pass connect() that of the package ws as WebSocket')
})
