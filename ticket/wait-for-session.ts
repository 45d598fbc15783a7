import { type Clock, sleep } from '../lib/clock.ts'
import type { PlatformPort, SessionState } from './platform-port.ts'

/** @returns whether a logon is in progress or begins before `until`, by `Clock.monotonic`. */
function logonExpected(state: SessionState, until: number): boolean {
  switch (state.phase) {
    case 'starting':
    case 'logging_on':
      return true
    case 'waiting':
      return state.retryAt !== undefined && state.retryAt <= until
    case 'logged_on':
    case 'login_needed':
      return false
  }
}

/**
 * Waits while a logon is in progress or will start within `timeout` milliseconds.
 * @returns whether the service is logged on now
 */
export function waitForSession(
  platform: Pick<PlatformPort, 'state' | 'onChange'>,
  timeout: number,
  clock: Clock,
): Promise<boolean> {
  const until = clock.monotonic() + timeout
  const settled = (state: SessionState) => state.phase === 'logged_on' || !logonExpected(state, until)
  if (settled(platform.state())) return Promise.resolve(platform.state().phase === 'logged_on')
  return new Promise((resolve) => {
    const timeUp = new AbortController()
    const finish = () => {
      timeUp.abort()
      stop()
      resolve(platform.state().phase === 'logged_on')
    }
    const stop = platform.onChange((state) => settled(state) && finish())
    sleep(clock, timeout, timeUp.signal).then(finish, () => undefined)
  })
}
