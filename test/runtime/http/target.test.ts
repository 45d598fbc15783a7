import { describe, expect, test } from 'vitest'
import { wantsPage, withoutSlash, withSlash } from '../../../runtime/http/page-redirect.ts'
import { requestIdOf } from '../../../runtime/http/request-id.ts'
import { hasTrailingSlash, requestPath, searchOf, targetLength } from '../../../runtime/http/target.ts'

const pathOf = (target: string, basePath = '') =>
  requestPath(basePath)(new Request(`http://farm.example:8080${target}`))

describe('the path of a request', () => {
  test.each([
    ['/', '/'],
    ['/players', '/players'],
    ['/players/', '/players'],
    ['/players//', '/players/'],
    ['/players?x=/a/', '/players'],
    ['/players/?x=1', '/players'],
    ['/pl%61yers', '/pl%61yers'],
    ['//players', '//players'],
  ])('%s is %s: without query and one slash at its end, not decoded', (target, path) => {
    expect(pathOf(target)).toBe(path)
  })

  test('ends before a fragment, which some runtimes keep', () => {
    expect(requestPath('')({ url: 'https://farm.example/players#top' } as Request)).toBe('/players')
  })

  test.each([
    ['/farm', '/'],
    ['/farm/', '/'],
    ['/farm/players', '/players'],
    ['/farm/players?x=1', '/players'],
    ['/farmhands', '/farmhands'],
    ['/players', '/players'],
    ['/x/farm/players', '/x/farm/players'],
  ])('%s under API_BASE_PATH=/farm is %s', (target, path) => {
    expect(pathOf(target, '/farm')).toBe(path)
  })
})

test('the length of a target is that of its path and query', () => {
  expect(targetLength('http://farm.example:8080/players?x=1')).toBe('/players?x=1'.length)
  expect(targetLength('https://farm.example/')).toBe(1)
})

test('the query is the text between ? and #', () => {
  expect(
    ['http://a/p', 'http://a/p?', 'http://a/p?x=1&y', 'http://a/p?x=1#h', 'http://a/p?a=?b'].map(searchOf),
  ).toEqual(['', '', 'x=1&y', 'x=1', 'a=?b'])
})

test('whether a path ends with a slash does not depend on its query', () => {
  expect(
    ['http://a/docs/', 'http://a/docs/?x', 'http://a/docs/#x', 'http://a/docs', 'http://a/docs?x=/'].map(
      hasTrailingSlash,
    ),
  ).toEqual([true, true, true, false, false])
})

test('a request id of the client is used when it is 1 to 128 visible ASCII characters', () => {
  for (const good of ['a', '!~', 'x'.repeat(128)]) expect(requestIdOf(good)).toBe(good)
  for (const bad of ['', 'x'.repeat(129), 'a b', 'ä', 'a\n', '\u007f', ' a', null, undefined])
    expect(requestIdOf(bad)).toBeUndefined()
})

describe('pages', () => {
  test('are for browsers, which accept HTML', () => {
    expect(wantsPage('GET', 'text/html,application/xhtml+xml')).toBe(true)
    expect(wantsPage('HEAD', 'TEXT/HTML')).toBe(true)
    expect(wantsPage('POST', 'text/html')).toBe(false)
    for (const accept of ['*/*', 'application/json', 'text/htmlx', '', null, undefined])
      expect([accept, wantsPage('GET', accept)]).toEqual([accept, false])
  })

  test('redirect by 308 to the same address with or without a slash, below any prefix of a proxy', () => {
    expect(withSlash('docs')).toMatchObject({ status: 308, body: null, headers: { Location: 'docs/' } })
    expect(withoutSlash('/farm/docs')).toMatchObject({ status: 308, headers: { Location: '../docs' } })
    expect(withoutSlash('docs')).toMatchObject({ headers: { Location: '../docs' } })
  })
})
