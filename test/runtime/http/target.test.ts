import { describe, expect, test } from 'vitest'
import { Problem } from '../../../handlers/problem.ts'
import { readBody } from '../../../runtime/http/body.ts'
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

const utf8 = new TextEncoder()
/** @param parts in the order of the socket; an error aborts the body */
function upload(parts: readonly (Uint8Array | Error)[], onCancel = () => {}): Request {
  const left = [...parts]
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = left.shift()
      if (part === undefined) controller.close()
      else if (part instanceof Error) controller.error(part)
      else controller.enqueue(part)
    },
    cancel: onCancel,
  })
  return new Request('http://farm.example/newgame', { method: 'POST', body, duplex: 'half' } as RequestInit)
}
const problemOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('it was read'),
    (error: unknown) => (error instanceof Problem ? [error.code, error.message] : expect.fail(String(error))),
  )

describe('a body', () => {
  test('is empty where there is none', async () => {
    expect(await readBody(new Request('http://farm.example/newgame', { method: 'POST' }), 10)).toBe('')
  })

  test('is read as UTF-8, also where a character arrives in two parts', async () => {
    const carrot = utf8.encode('🥕')
    expect(await readBody(upload([utf8.encode('a'), carrot.slice(0, 2), carrot.slice(2)]), 10)).toBe('a🥕')
    expect(await readBody(upload([carrot.slice(0, 2)]), 10)).toBe('\ufffd')
  })

  test('of the largest size is read, and one byte more is payload_too_large; the rest is not read', async () => {
    expect(await readBody(upload([utf8.encode('12345'), utf8.encode('67890')]), 10)).toBe('1234567890')
    let cancelled = 0
    const cancel = () => {
      cancelled += 1
    }
    const parts = ['12345', '67890', '!', 'never', 'read'].map((part) => utf8.encode(part))
    const long = upload(parts, cancel)
    expect(await problemOf(readBody(long, 10))).toEqual([
      'payload_too_large',
      'The body is larger than 10 bytes',
    ])
    expect(cancelled).toBe(1)
  })

  test('that is aborted is malformed_request', async () => {
    const sentence = ['malformed_request', 'The body ended early']
    expect(await problemOf(readBody(upload([utf8.encode('1'), new Error('reset')]), 10))).toEqual(sentence)
  })

  test('whose sender leaves while it is read is malformed_request', async () => {
    const over = new AbortController()
    const stalled = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) })
    const request = new Request('http://farm.example/newgame', {
      method: 'POST',
      body: stalled,
      duplex: 'half',
    } as RequestInit)
    const read = problemOf(readBody(request, 10, over.signal))
    over.abort()
    expect((await read)[0]).toBe('malformed_request')
    expect((await problemOf(readBody(upload([utf8.encode('1')]), 10, AbortSignal.abort())))[0]).toBe(
      'malformed_request',
    )
  })

  test('leaves nothing pending on the connection once it is read', async () => {
    const { signal } = new AbortController()
    const listeners = new Set<unknown>()
    const watched = Object.assign(signal, {
      addEventListener: (_type: string, listener: unknown) => void listeners.add(listener),
      removeEventListener: (_type: string, listener: unknown) => void listeners.delete(listener),
    })
    await readBody(upload([utf8.encode('1')]), 10, watched)
    expect(listeners.size).toBe(0)
  })
})
