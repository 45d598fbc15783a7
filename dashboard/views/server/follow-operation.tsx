/** An operation that was begun in a dialog, until it has ended: its steps, and why it failed. */
import { useEffect } from 'preact/hooks'
import type { HostOperation } from '../../../client/index.ts'
import { Trouble } from '../../parts/asked.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import type { SignedIn } from '../../session/session.ts'
import { Failed, Steps } from './operations.tsx'
import './server.css'

interface FollowProps {
  readonly farm: SignedIn['farm']
  readonly begun: HostOperation
  /** Of one that has succeeded. */
  readonly done: string
  readonly onEnd: () => Promise<void>
}

/** Milliseconds between two looks. */
const followEvery = 1000

export function FollowOperation({ farm, begun, done, onEnd }: FollowProps) {
  const read = useLoaded(
    async (signal) =>
      (await farm.hostOperations({}, { signal })).operations.find(({ id }) => id === begun.id),
    (last) => (last?.endedAt === undefined ? followEvery : 0),
  )
  const now = read.value.value ?? begun
  const isEnded = now.endedAt !== undefined
  useEffect(() => {
    if (isEnded) void onEnd()
  }, [isEnded])
  return (
    <>
      <Steps of={now} />
      <Trouble error={read.error.value} />
      <div role="alert">
        <Failed of={now} />
      </div>
      <p role="status">{now.state === 'succeeded' && done}</p>
    </>
  )
}
