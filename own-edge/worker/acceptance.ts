/** Whether the other instances of the cluster accept this one. */
import { withTimeLimit } from '../../lib/time-limit.ts'
import { notAcceptedHeader } from '../../runtime/edge/instance-ready.ts'

/** Milliseconds for the answer of an instance. */
const answersWithin = 2000

/** Milliseconds without an answer after which another instance no longer counts: by then others have taken its objects over. */
const acceptedFor = 45_000

const unavailable = (headers: Readonly<Record<string, string>> = {}) =>
  new Response(null, { status: 503, headers: { 'Retry-After': '5', ...headers } })

interface Instances {
  /** Asks this instance for its own readiness. */
  isIn(): Promise<boolean>
  /** Calls the object `instances`; resolves when the instance that has it, perhaps this one, accepts the call. */
  reach(): Promise<unknown>
}

/**
 * The instance that has the object `instances` refuses an instance with another `EDGE_CLUSTER_KEY`; each asks every few
 * seconds, so that one of those that live has it.
 * @param now milliseconds since 1970
 * @returns a function that answers while this instance does not have its place in the cluster
 */
export function acceptance(now: () => number) {
  /** When this instance was last accepted. */
  let acceptedAt = Number.NEGATIVE_INFINITY
  return async ({ isIn, reach }: Instances): Promise<Response | undefined> => {
    const inTime = <T>(asked: Promise<T>) => withTimeLimit(answersWithin, asked, () => new Error('late'))
    const [isMember, isReached] = await Promise.all([
      inTime(isIn()).catch(() => false),
      inTime(reach()).then(
        () => true,
        () => false,
      ),
    ])
    if (!isMember) return unavailable()
    if (isReached) acceptedAt = now()
    return now() - acceptedAt < acceptedFor ? undefined : unavailable({ [notAcceptedHeader]: 'yes' })
  }
}
