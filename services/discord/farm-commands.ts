/** The subcommands of `/farm`: which endpoint each calls, and how its result becomes a text. */
import type { Endpoint } from '../../handlers/endpoint.ts'
import { announce } from '../../handlers/endpoints/announce.ts'
import { restartGame } from '../../handlers/endpoints/host-actions.ts'
import { makeBackup } from '../../handlers/endpoints/make-backup.ts'
import { players } from '../../handlers/endpoints/players.ts'
import { setTime } from '../../handlers/endpoints/set-time.ts'
import { status } from '../../handlers/endpoints/status.ts'
import { shownMoment } from '../../handlers/game-moment.ts'
import type { Status } from '../../handlers/game-records.ts'
import type { Parameters } from '../../handlers/parameter.ts'
import { withoutMarks } from './message.ts'

export interface FarmCommand {
  /** The endpoint to call. The roles of the member must allow its scope, or `read` where it has none. */
  readonly endpoint: Endpoint
  /** Everyone in the channel sees the answer; otherwise only the member who gave the command. */
  readonly isPublic?: true
  /** The text of the answer, which may contain Discord's Markdown. */
  textOf(result: unknown): string
}

interface Described<Result> extends Omit<FarmCommand, 'endpoint' | 'textOf'> {
  readonly endpoint: Endpoint<Parameters, Result>
  textOf(result: Result): string
}

const farmCommand = <Result>(described: Described<Result>): FarmCommand => described

export const farmCommands: ReadonlyMap<string, FarmCommand> = new Map([
  ['status', farmCommand({ endpoint: status, isPublic: true, textOf: statusText })],
  [
    'players',
    farmCommand({
      endpoint: players,
      isPublic: true,
      textOf: ({ players: here }) =>
        here.length === 0
          ? 'No one is on the farm.'
          : `On the farm: ${here.map(({ name }) => withoutMarks(name)).join(', ')}`,
    }),
  ],
  [
    'invite',
    farmCommand({
      endpoint: status,
      textOf: inviteText,
    }),
  ],
  ['announce', farmCommand({ endpoint: announce, textOf: ({ message }) => `${message}.` })],
  ['time', farmCommand({ endpoint: setTime, textOf: ({ message }) => `${message}.` })],
  [
    'backup',
    farmCommand({
      endpoint: makeBackup,
      textOf: ({ id }) => `Made the backup ${withoutMarks(id)}.`,
    }),
  ],
  [
    'restart',
    farmCommand({
      endpoint: restartGame,
      textOf: ({ operation: { when, id } }) => `The game restarts ${restartMoments[when]}. Operation ${id}.`,
    }),
  ],
])

const restartMoments = {
  now: 'now, after warnings if players are online',
  empty: 'when no players are online',
  night: 'after the night is saved',
} as const

/** A player on Steam who types the code of GOG Galaxy joins as another player, so each code has its label. */
function inviteText({ steamInviteCode, gogInviteCode }: Status): string {
  const codes = [
    ...(steamInviteCode === undefined ? [] : [`Invite code: **${withoutMarks(steamInviteCode)}**`]),
    ...(gogInviteCode === undefined ? [] : [`For players on GOG only: **${withoutMarks(gogInviteCode)}**`]),
  ]
  return codes.length === 0 ? 'No invite code available.' : codes.join('\n')
}

function statusText(now: Status): string {
  const { farmName, day, season, year, timeOfDay } = now
  const moment = shownMoment(now)
  if (moment === 'no_farm') return 'No farm is loaded.'
  const hour = String(Math.floor(timeOfDay / 100) % 24).padStart(2, '0')
  const minute = String(timeOfDay % 100).padStart(2, '0')
  const date = `${hour}:${minute} on day ${day} of ${season}, year ${year}`
  const state = moment === 'day' ? (now.isPaused ? ' It is paused.' : '') : ' The night is being saved.'
  return `**${withoutMarks(farmName)}**: ${date}. ${now.playerCount} of ${now.maxPlayers} players are on it.${state}`
}
