/** The response reader alone: its result does not depend on how the network splits the bytes. */
import { describe, expect, test } from 'vitest'
import { everyWay, good, type Outcome, ok, response } from './read-response.ts'

describe('a response is read the same however its bytes are split:', () => {
  test.each<[string, string, Outcome]>([
    ['a stated length', ok(['Content-Length: 5'], 'wheat'), good('wheat')],
    ['a length that fills the memory', ok(['content-length:32'], 'w'.repeat(32)), good('w'.repeat(32))],
    ['a length that is said twice', ok(['Content-Length: 5', 'Content-Length: 5'], 'wheat'), good('wheat')],
    ['an empty body', ok(['Content-Length: 0']), good('')],
    ['a line end in the body', ok(['Content-Length: 8'], '\r\n\r\n\r\n\r\n'), good('\r\n\r\n\r\n\r\n')],
    [
      'chunks with extensions and trailers',
      ok(
        ['Transfer-Encoding: chunked'],
        '3;a="b"\r\nwhe\r\nA \r\nat and \r\nh\r\n03\r\nops\r\n0;last\r\nX-Sum: 7\r\nX-End: 8\r\n\r\n',
      ),
      good('wheat and \r\nhops'),
    ],
    ['chunks of nothing', ok(['transfer-encoding: Chunked'], '0\r\n\r\n'), good('')],
    ['a body that ends with the connection', ok([], 'wheat'), good('wheat', false)],
    ['an empty body that ends with the connection', ok([]), good('', false)],
    [
      'a body that ends with the connection and fills the memory',
      ok([], 'w'.repeat(32)),
      good('w'.repeat(32), false),
    ],
    [
      'responses of status 1xx before',
      response(['HTTP/1.1 100 Continue']) +
        response(['HTTP/1.1 103 Early Hints', 'Link: </field>', 'Content-Length: 3']) +
        ok(['Content-Length: 5'], 'wheat'),
      good('wheat'),
    ],
    [
      'a 404 with a short body',
      response(['HTTP/1.1 404 Not Found', 'Content-Length: 9'], 'not found'),
      { status: 404, body: '', reusable: true },
    ],
    [
      'a 304 without a body',
      response(['HTTP/1.1 304 Not Modified', 'Content-Length: 0']),
      { status: 304, body: '', reusable: true },
    ],
    ['a status without words', response(['HTTP/1.1 200', 'Content-Length: 1'], 'w'), good('w')],
    ['HTTP/1.0', response(['HTTP/1.0 200 OK', 'Content-Length: 5'], 'wheat'), good('wheat', false)],
    ['Connection: close', ok(['Content-Length: 5', 'Connection: Close'], 'wheat'), good('wheat', false)],
    ['an empty body before the end', ok(['Content-Length: 0', 'Connection: close']), good('', false)],
  ])('%s', (_what, text, outcome) => {
    expect(everyWay(text)).toEqual([outcome])
  })
})

describe('the connection is not reused after', () => {
  test.each<[string, string, Outcome]>([
    ['bytes behind a stated length', ok(['Content-Length: 5'], 'wheat!'), good('wheat', false)],
    ['bytes behind an empty body', ok(['Content-Length: 0'], '!'), good('', false)],
    [
      'bytes behind the last chunk',
      ok(['Transfer-Encoding: chunked'], '1\r\nw\r\n0\r\n\r\n!'),
      good('w', false),
    ],
    [
      'a whole second response',
      ok(['Content-Length: 1'], `w${ok(['Content-Length: 1'], 'x')}`),
      good('w', false),
    ],
    [
      'both a length and chunks; the chunks count',
      ok(['Content-Length: 9', 'Transfer-Encoding: chunked'], '5\r\nwheat\r\n0\r\n\r\n'),
      good('wheat', false),
    ],
    [
      'bytes behind a refusal',
      response(['HTTP/1.1 404 Not Found', 'Content-Length: 2'], 'no!'),
      { status: 404, body: '', reusable: false },
    ],
    [
      'a refusal of unknown length',
      response(['HTTP/1.1 404 Not Found'], 'no'),
      { status: 404, body: '', reusable: false },
    ],
    [
      'a refusal in chunks',
      response(['HTTP/1.1 503 Busy', 'Transfer-Encoding: chunked'], '1\r\nx\r\n0\r\n\r\n'),
      { status: 503, body: '', reusable: false },
    ],
    [
      'an endless refusal',
      response(['HTTP/1.1 403 Forbidden', 'Content-Length: 999999999'], 'no'),
      { status: 403, body: '', reusable: false },
    ],
    [
      'another protocol was switched to',
      response(['HTTP/1.1 101 Switching Protocols', 'Upgrade: farm'], 'moo'),
      { status: 101, body: '', reusable: false },
    ],
  ])('%s', (_what, text, outcome) => {
    expect(everyWay(text)).toEqual([outcome])
  })
})
