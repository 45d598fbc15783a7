/**
 * @returns a stream that reads the content only as fast as it is read; cancelling it ends the content. Node's
 * `Readable.toWeb` throws outside of every call when it is cancelled while content arrives.
 */
export function byteStream(
  content: AsyncIterable<Uint8Array> & { destroy?(): unknown },
): ReadableStream<Uint8Array> {
  const pieces = content[Symbol.asyncIterator]()
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await pieces.return?.()
        // An iteration that has not begun leaves a stream of Node open.
        content.destroy?.()
      },
    },
    { highWaterMark: 0 },
  )
}
