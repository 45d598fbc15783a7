/** Lengths and transfer codings (RFC 9112 sections 6 and 7), which can smuggle one request behind another. */
import type { Requests, Shape } from './shape.ts'

export const lengthShapes = ({ get, post, forbidden }: Requests): readonly Shape[] => {
  const length = (value: string) => `${forbidden(`Content-Length: ${value}`)}hello`
  return [
    ['a body as long as announced', `${post('Content-Length: 5')}hello`, [200], 'stays'],
    ['a length of 0', post('Content-Length: 0'), [200], 'stays'],
    ['a negative length', length('-1'), [400], 'ends'],
    ['a length beyond 64 bits', length('99999999999999999999'), [400], 'ends'],
    ['two different lengths', length('5\r\nContent-Length: 6'), [400], 'ends'],
    ['a length before a coding', length('5\r\nTransfer-Encoding: chunked'), [400], 'ends'],
    [
      'a coding before a length',
      `${forbidden('Transfer-Encoding: chunked', 'Content-Length: 5')}5\r\nhello\r\n0\r\n\r\n`,
      [400],
      'ends',
    ],
    [
      'a request inside a body',
      `${post(`Content-Length: ${forbidden().length}`)}${forbidden()}`,
      [200],
      'stays',
    ],
    [
      'a request inside the body of a GET',
      `${get('/health', `Content-Length: ${forbidden().length}`)}${forbidden()}`,
      [200],
      'stays',
    ],
    ['a body that never comes', post('Content-Length: 1000000', 'Connection: close'), [200], 'ends'],
    ['a body of HEAD', `${get('/health', 'Content-Length: 3').replace('GET', 'HEAD')}abc`, [200], 'stays'],
    ['a body longer than announced', `${post('Content-Length: 1')}hello\r\n\r\n`, [200, 400], 'ends'],
  ]
}

export const codingShapes = ({ bearer, bad, post, forbidden, reads }: Requests): readonly Shape[] => {
  const coding = (value: string) => `${forbidden(`Transfer-Encoding: ${value}`)}5\r\nhello\r\n0\r\n\r\n`
  /** The write itself is valid: only its body, which is not read, is wrong. */
  const chunks = (body: string) => post('Transfer-Encoding: chunked') + body
  return [
    ['a chunked body', chunks('5\r\nhello\r\n0\r\n\r\n'), [200], 'stays'],
    ['gzip and then chunked', `${post('Transfer-Encoding: gzip, chunked')}0\r\n\r\n`, [200], 'stays'],
    [
      'a request inside a chunk',
      chunks(`${forbidden().length.toString(16)}\r\n${forbidden()}\r\n0\r\n\r\n`),
      [200],
      'stays',
    ],
    ['an unknown coding', coding('xchunked'), [400], 'ends'],
    ['chunked that is not the last', coding('chunked, identity'), [400], 'ends'],
    ['a blank before the colon', `${forbidden('Transfer-Encoding : chunked')}0\r\n\r\n`, [400], 'ends'],
    [
      'a coding of HTTP/1.0',
      `POST ${bad} HTTP/1.0\r\n${bearer}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      [400],
      'ends',
    ],
    ['an aborted body', `${reads('Transfer-Encoding: chunked')}1\r\n{\r\nzz\r\n`, [400], 'ends'],
    ['a chunk extension', chunks('5;a=b;c="d"\r\nhello\r\n0\r\n\r\n'), [200], 'stays'],
    ['chunk extensions of 20 KB', chunks(`5;${'a'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`), [200], 'ends'],
    ['a trailer', chunks('0\r\nX-Trailer: 1\r\n\r\n'), [200], 'stays'],
    ['a length in the trailer', chunks('0\r\nContent-Length: 5\r\n\r\n'), [200], 'ends'],
    ['a chunk size that is none', chunks('zz\r\n'), [200], 'ends'],
  ]
}
