/** Contract section 4, the order of what one client hears. */
import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { FanOut } from '../../../runtime/node/fan-out.ts'

test('an event that a snapshot already shows does not come after it', async () => {
  const fanOut = new FanOut({ monotonic: () => 0 })
  const socket = new PassThrough()
  const member = fanOut.join({ socket, isOpen: () => true, tooSlow: () => expect.fail('too slow') })
  fanOut.publish('players', 'before')
  // The snapshot is read before the event has been told to anybody.
  fanOut.pause(member)
  member.channels.add('players')
  fanOut.publish('players', 'after')
  fanOut.resume(member)
  await nextTurn()
  const heard = String(socket.read())
  expect(heard).toContain('after')
  expect(heard).not.toContain('before')
})
