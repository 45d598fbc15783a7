/** Why friends cannot join: what each part between a player and the farm says, in the order in which to look. Pure. */
import { type CauseCode, causeSentence } from './cause.ts'
import type { GameMoment } from './game-moment.ts'
import type { Connections, PasswordProtection, Status } from './game-records.ts'
import type { SteamSignIn } from './ticket-service.ts'

/** In the order in which they are looked at. */
export const joinChecks = [
  'process',
  'night',
  'sign_in',
  'clock',
  'relay',
  'invite_code',
  'player_limit',
  'password',
  'versions',
] as const
type JoinCheck = (typeof joinChecks)[number]

/** What is known of a farm; a member is undefined where it is not known. */
export interface JoinFacts {
  readonly moment: GameMoment
  readonly status: Status
  readonly connections?: Connections | undefined
  /** That stands. */
  readonly cause?: CauseCode | undefined
  readonly signIn?: SteamSignIn | 'unreachable' | undefined
  readonly password?: Pick<PasswordProtection, 'enabled' | 'pendingCount'> | undefined
  /** Enabled mods that the game does not load. */
  readonly brokenMods?: number | undefined
}

interface Said {
  readonly state: 'ok' | 'wrong' | 'unknown'
  readonly message: string
  readonly next?: string
}

const ok = (message: string): Said => ({ state: 'ok', message })
const unknown = (message: string, next?: string): Said => ({
  state: 'unknown',
  message,
  ...(next !== undefined && { next }),
})

const checkTicketService = 'Check the ticket service and its sign-in: farmgate doctor.'
const waitOrRestart = 'Wait a minute; if it stays, restart the game server.'
const waitOrLook = 'Wait a minute; if it stays, look at its log.'

/** What can be wrong apart from a cause, and what to do; `…` is a value. */
export const joinProblems = {
  starting: ['The game server is starting.', waitOrLook],
  downloading: [
    'The game server is downloading the game.',
    'Wait until the download ends; its log shows the progress.',
  ],
  validating: ["The game server is checking the game's files.", 'Wait until the check ends.'],
  other_phase: ['The game server reports the phase “…”.', waitOrLook],
  night: ['The night is being saved.', 'Wait for the next day.'],
  festival: ['A festival or an event is on.', 'Wait until it ends.'],
  steam_lost: ['The game server has lost its Steam session.', checkTicketService],
  no_sign_in: ['The game server cannot sign in to Steam.', checkTicketService],
  ticket_service_offline: ['The ticket service does not answer.', 'Start it, and check PLATFORM_AUTH_URL.'],
  signed_out: [
    'The ticket service is not signed in to Steam.',
    'Sign in on the machine of the farm: docker compose run --rm ticket login',
  ],
  lobby_down: ['The lobby on GOG Galaxy is down, so new players cannot join.', waitOrRestart],
  relay_pending: [
    'Players on GOG can join, players on Steam cannot yet.',
    'Wait a minute; if it stays, check the ticket service.',
  ],
  reconnecting: ['The game server connects to Steam and GOG Galaxy again.', waitOrRestart],
  other_code: ['The game server reports “…”.', 'Look at its log.'],
  no_invite_code: ['The game server has no invite code.', waitOrRestart],
  full: [
    '… of … players are on the farm.',
    'Wait until someone leaves, or raise the limit in the Settings view and reload.',
  ],
  no_password: [
    'Connected players who have not typed the join password: ….',
    'They type !login and the password into the chat.',
  ],
  mods_broken: ['Mods that the game does not load: ….', 'farmgate mods and the Mods view say why.'],
} as const satisfies Readonly<Record<string, readonly [message: string, next: string]>>
type JoinProblem = keyof typeof joinProblems
type Values = readonly (string | number)[]

const sentence = (problem: JoinProblem, ...values: Values): string =>
  values.reduce<string>((text, value) => text.replace('…', () => String(value)), joinProblems[problem][0])
const wrong = (problem: JoinProblem, ...values: Values): Said => ({
  state: 'wrong',
  message: sentence(problem, ...values),
  next: joinProblems[problem][1],
})

/** The cause for a moment that names none. */
const ofMoment: Partial<Readonly<Record<GameMoment, CauseCode>>> = {
  offline: 'no_answer',
  starting: 'no_farm',
  frozen: 'frozen',
  no_farm: 'no_farm',
}
/** Causes that have a check of their own. */
const withOwnCheck: ReadonlySet<CauseCode> = new Set(['ticket_service', 'clock'])
const becauseOf = (code: CauseCode): Said => ({ state: 'wrong', ...causeSentence(code) })

/** What newer game servers report while no farm is loaded. */
const phases = ['downloading', 'validating', 'starting'] as const

/** What newer game servers report of their connections, and the check that each belongs to. */
const codes = new Map<string, readonly [JoinCheck, JoinProblem]>([
  ['starting', ['process', 'starting']],
  ['steamSessionDown', ['sign_in', 'steam_lost']],
  ['steamRelayPending', ['relay', 'relay_pending']],
  ['reconnecting', ['relay', 'reconnecting']],
  ['inviteUnavailable', ['invite_code', 'no_invite_code']],
])

const of = {
  process({ moment, status: { phase }, cause }) {
    const code = cause !== undefined && !withOwnCheck.has(cause) ? cause : ofMoment[moment]
    if (code === undefined) return ok('The game runs.')
    if (code !== 'no_farm' || phase === undefined) return becauseOf(code)
    const known = phases.find((one) => one === phase)
    return known === undefined ? wrong('other_phase', phase) : wrong(known)
  },
  night({ moment, status: { isReady } }) {
    if (moment === 'night') return wrong('night')
    if (moment !== 'day') return unknown('Not known while no farm is played.')
    return isReady ? ok('It is day.') : wrong('festival')
  },
  sign_in({ signIn, connections: { steamSession, authReadiness } = {} }) {
    if (steamSession === 'lost') return wrong('steam_lost')
    if (authReadiness === 'unavailable') return wrong('no_sign_in')
    if (signIn === 'unreachable') return wrong('ticket_service_offline')
    if (signIn !== undefined && (!signIn.isSignedIn || signIn.daysLeft === 0)) return wrong('signed_out')
    if (signIn === undefined && steamSession !== 'connected')
      return unknown('Neither the ticket service nor the game server reports it.', 'Set PLATFORM_AUTH_URL.')
    return ok('Signed in to Steam.')
  },
  clock: ({ cause }) =>
    cause === 'clock'
      ? becauseOf(cause)
      : unknown('A server cannot compare its own clock.', 'Run farmgate doctor on another machine.'),
  relay({ status: { connectionStatusCode: code }, connections: { steamRelayReady, galaxyLobby } = {} }) {
    if (galaxyLobby === 'down' || galaxyLobby === 'recovering') return wrong('lobby_down')
    if (steamRelayReady === false) return wrong('relay_pending')
    if (code !== undefined && code !== 'ready' && !codes.has(code)) return wrong('other_code', code)
    return steamRelayReady === true || code === 'ready'
      ? ok('Steam and GOG Galaxy reach the game.')
      : unknown('This game server does not report it.')
  },
  invite_code({ moment, status: { inviteCode, steamInviteCode, gogInviteCode } }) {
    if ([inviteCode, steamInviteCode, gogInviteCode].some(Boolean)) return ok('The game has an invite code.')
    return moment === 'day' ? wrong('no_invite_code') : unknown('Not known while no farm is played.')
  },
  player_limit({ moment, status: { playerCount, maxPlayers } }) {
    if (moment !== 'day' && moment !== 'night') return unknown('Not known while no farm is played.')
    const counts = ['full', playerCount, maxPlayers] as const
    return playerCount < maxPlayers ? ok(sentence(...counts)) : wrong(...counts)
  },
  password({ password }) {
    if (password === undefined) return unknown('This game server does not report it.')
    if (!password.enabled) return ok('The farm has no join password.')
    return password.pendingCount === 0
      ? ok('The farm has a join password.')
      : wrong('no_password', password.pendingCount)
  },
  versions({ status: { gameVersion }, brokenMods = 0 }) {
    if (brokenMods > 0) return wrong('mods_broken', brokenMods)
    return gameVersion === ''
      ? unknown('The version of the game is not known.')
      : ok(`Players need the game in version ${gameVersion}.`)
  },
} satisfies Readonly<Record<JoinCheck, (facts: JoinFacts) => Said>>

export interface JoinReport {
  readonly checks: ({ readonly check: JoinCheck } & Said)[]
  /** The first check that is wrong. */
  readonly first?: JoinCheck
}

export function joinReport(facts: JoinFacts): JoinReport {
  const [reported, byCode] = codes.get(facts.status.connectionStatusCode ?? '') ?? []
  const checks = joinChecks.map((check) => {
    const said = of[check](facts)
    const isReported = check === reported && byCode !== undefined && said.state !== 'wrong'
    return { check, ...(isReported ? wrong(byCode) : said) }
  })
  const first = checks.find(({ state }) => state === 'wrong')?.check
  return { checks, ...(first !== undefined && { first }) }
}
