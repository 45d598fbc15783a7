/** Who uses the page: someone without a key, or the holder of one. */
import { signal } from '@preact/signals'
import { type Calls, connect, type Farm, FarmgateError, type OwnKey, type Scope } from '../../client/index.ts'
import { connection, isWrongKey, tryKey } from './connection.ts'
import {
  adoptOldKey,
  forgetKey,
  keepKey,
  keptKey,
  oldKey,
  replaceKey,
  takeKeyFromAddress,
} from './key-storage.ts'
import { type LiveFarm, openLiveFarm } from './live-farm.ts'
import { keepSession, readAddress, sessionSecret, signInFailure } from './person.ts'
import { PageSocket, pageFetch } from './sending.ts'
import { statusOf } from './status.ts'
import { isWithoutPath } from './without-path.ts'

export type Answer<Name extends keyof Calls> = Awaited<ReturnType<Calls[Name]>>

export interface SignedIn {
  readonly phase: 'signed-in'
  readonly farm: Farm
  readonly own: OwnKey
  readonly live: LiveFarm
  /** Whether farmgate has answered what is set up: the next three. Until then the views are not offered. */
  readonly isComplete: boolean
  /** Whether farmgate can start and stop the game, as far as it has answered. */
  readonly hasHost: boolean
  /** Whether farmgate sees the mods, as far as it has answered. */
  readonly hasMods: boolean
  /** With whose accounts people can sign in. */
  readonly providers: Answer<'signInProviders'>['providers']
}

/**
 * `public`: without a key. `refused` is the reason, where the user did not sign out: the stored key was not accepted,
 * at the start or later. It stays in the browser, because a server that cannot read its keys refuses valid ones too.
 */
export type Session =
  | { readonly phase: 'starting'; readonly trouble?: FarmgateError }
  | { readonly phase: 'public'; readonly refused?: 'wrong-key' | 'ended-key' }
  | SignedIn

export const session = signal<Session>({ phase: 'starting' })

/** The key of an address, while another key is stored: the user decides whether to replace it. */
export const offeredKey = signal<string | undefined>(undefined)

/** The address of the farm: that of the page, without its fragment and query. */
const url = new URL('.', location.href).href
/** The name of the farm in a fleet at the edge; otherwise undefined. */
/** @param path relative to the API, with its query */
export const addressOfApi = (path: string): string => new URL(path, url).href

export const [, fleetName] = /\/farms\/([^/]+)\/$/.exec(new URL(url).pathname) ?? []

export const publicFarm: Farm = connect({ url })

/** @returns whether the key of the session has the scope; `admin` includes the others */
export const allows = ({ own }: SignedIn, scope: Scope): boolean =>
  own.scopes.includes(scope) || own.scopes.includes('admin')

/** Milliseconds between attempts while the farm does not answer at the start. */
const startAgain = 3_000

/** Signs in with the stored key, else with that of the address, else without any, which a farm without a key allows. */
export async function start(): Promise<void> {
  addEventListener('hashchange', () => {
    const code = readAddress()
    const given = newKeyOfAddress()
    if (code !== undefined || given !== undefined) void enter(code, given)
  })
  await enter(readAddress(), newKeyOfAddress())
}

/** @param code of a new session, which the page exchanges for its secret @param given see `openKept` */
async function enter(code: string | undefined, given: string | undefined): Promise<void> {
  if (code !== undefined)
    await publicFarm.takeSession({ code }).then(
      ({ secret }) => keepSession(secret),
      () => {
        signInFailure.value = 'failed'
      },
    )
  await openKept(given)
}

/**
 * The key of the address, stored where there was none. Any page can link here with its own key, so one that differs
 * from the stored one is only offered.
 */
function newKeyOfAddress(): string | undefined {
  const given = takeKeyFromAddress()
  if (given === undefined || given === keptKey()) return undefined
  if (keptKey() === undefined) {
    keepKey(given, false)
    return given
  }
  offeredKey.value = given
  return undefined
}

/**
 * Signs in with the stored key; a refused one stays until the user signs out.
 * @param given the key where the browser stores nothing, because its storage is turned off
 */
export async function openKept(given?: string): Promise<void> {
  for (;;) {
    const key = keptKey() ?? given
    try {
      // A farm with a key gets no request without one: browsers write each 401 to their console.
      if (key !== undefined || (await publicFarm.health()).keyless === true) await open(key ?? '')
      else if (sessionSecret() !== undefined) await open('')
      else session.value = { phase: 'public' }
      return
    } catch (error) {
      if (isWrongKey(error)) {
        keepSession(undefined)
        session.value = { phase: 'public', ...(key !== undefined && { refused: 'wrong-key' }) }
        return
      }
      if (!(error instanceof FarmgateError)) throw error
      session.value = { phase: 'starting', trouble: error }
      await new Promise((resolve) => setTimeout(resolve, startAgain))
    }
  }
}

/** @throws {FarmgateError} wrong-key; any other failure */
export async function signIn(key: string, onDevice: boolean): Promise<void> {
  await tryKey(() => open(key))
  keepKey(key, onDevice)
}

/**
 * Signs in with the key of the address, in place of the stored one. @throws {FarmgateError} as `signIn`; the old one
 * stays
 */
export async function takeOffered(): Promise<void> {
  const key = offeredKey.value
  if (key === undefined) return
  await tryKey(() => open(key))
  replaceKey(key)
  offeredKey.value = undefined
}

/**
 * Signs in with the key that is stored without its farm. @throws {FarmgateError} as `signIn`; it then stays as it is
 */
export async function takeOld(): Promise<void> {
  const key = oldKey()
  if (key === undefined) return
  await tryKey(() => open(key))
  adoptOldKey()
}

/** Opens the session of a person again, with the scopes that it has now. @throws {FarmgateError} */
export const openPerson = (): Promise<void> => open('')

const removedCookie = ['game_unavailable', 'game_timeout']

/** Ends the session of a person, or all of them. @throws {FarmgateError} */
export async function signOutPerson(everywhere: boolean): Promise<void> {
  let isOffline = false
  if (session.value.phase === 'signed-in')
    await session.value.farm.signOut({ everywhere }).catch((error: unknown) => {
      // An answer that removed the cookie, from an edge whose farm is offline.
      isOffline = error instanceof FarmgateError && removedCookie.includes(error.code)
      if (!isOffline) throw error
    })
  keepSession(undefined)
  if (isOffline) signInFailure.value = 'offline'
  signOut()
}

export function signOut(): void {
  close()
  forgetKey()
  session.value = { phase: 'public' }
}

function close(): void {
  connection.value = undefined
  if (session.value.phase === 'signed-in') session.value.live.close()
}

function endSession(): void {
  close()
  const wasPerson = sessionSecret() !== undefined && keptKey() === undefined
  keepSession(undefined)
  session.value = { phase: 'public', ...(!wasPerson && { refused: 'ended-key' }) }
}

async function open(key: string): Promise<void> {
  // The page shows the state of its connection itself.
  const farm = connect({ url, key, fetch: pageFetch, WebSocket: PageSocket, onProblem: () => undefined })
  // Requested once over HTTP, so that the farm is shown before the live connection is open.
  const first = statusOf(farm).then(
    ({ status }) => status,
    () => undefined,
  )
  const setUp = Promise.all([
    isSetUp(farm.hostOperations({}, { timeout: hostWithin })),
    isSetUp(farm.mods({}, { timeout: hostWithin })),
    providersOf(farm),
  ])
  const own = await farm.ownKey()
  close()
  const live = openLiveFarm(farm, own.scopes, first, endSession)
  connection.value = { ...live, refused: endSession }
  const begun = { phase: 'signed-in', farm, own, live } as const
  session.value = { ...begun, isComplete: false, hasHost: false, hasMods: false, providers: [] }
  void setUp.then(([hasHost, hasMods, providers]) => {
    if (session.value.phase === 'signed-in' && session.value.live === live)
      session.value = { ...begun, isComplete: true, hasHost, hasMods, providers }
  })
}

/** None on a farm of an earlier release. */
const providersOf = (farm: Farm) =>
  farm.signInProviders({}, { timeout: hostWithin }).then(
    ({ providers }) => providers,
    () => [],
  )

/** Milliseconds for which the page waits before it shows the view of the game's process all the same. */
const hostWithin = 2000

/**
 * Asked before the views are offered, so that none moves; the farm itself is shown before. The operations come from the records, without an inspection of
 * the process.
 */
const isSetUp = (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    () => true,
    (error) => !isWithoutPath(error),
  )
