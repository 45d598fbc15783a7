import { describe, expect, test } from 'vitest'
import { originRules } from '../../../runtime/http/cors.ts'

describe('the API’s own origin', () => {
  test('has the host of the request, whichever scheme a proxy uses', () => {
    const { isForeign } = originRules([])
    expect(isForeign('https://farm.example', 'farm.example')).toBe(false)
    expect(isForeign('https://other.example', 'farm.example')).toBe(true)
    expect(isForeign('null', 'farm.example')).toBe(true)
  })

  test('without a key is not a host name that DNS rebinding could point at this machine', () => {
    const { isForeign } = originRules(['https://panel.example'], false)
    for (const host of ['localhost:8080', '127.0.0.1:8080', '[::1]:8080', '192.168.1.5', 'api:8080'])
      expect([host, isForeign(`http://${host}`, host)]).toEqual([host, false])
    expect(isForeign('http://evil.example:8080', 'evil.example:8080')).toBe(true)
    expect(isForeign('https://panel.example', 'panel.example')).toBe(false)
  })
})
