/** Streams of bytes from async iterables. */
import { PassThrough } from 'node:stream'
import { setTimeout as after } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { byteStream } from '../../lib/byte-stream.ts'

test('has the content, and ends with it', async () => {
  const content = new PassThrough()
  content.write('one ')
  content.end('two')
  expect(await new Response(byteStream(content)).text()).toBe('one two')
})

test('cancelled before it is read, as the answer of a HEAD is, it ends the content and throws nothing', async () => {
  const content = new PassThrough()
  content.write('one')
  const stream = byteStream(content)
  await Promise.resolve()
  await stream.cancel()
  await after(10)
  expect(content.destroyed).toBe(true)
})

test('fails as its content does', async () => {
  const content = new PassThrough()
  const read = new Response(byteStream(content)).text()
  content.destroy(new Error('the disk is lost'))
  await expect(read).rejects.toThrow('the disk is lost')
})
