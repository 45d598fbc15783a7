import { firstWrong } from '../../client/findings.ts'
import { type Cause, type Farm, FarmgateError, type Health, type Status } from '../../client/index.ts'
import { shownMoment } from '../../handlers/game-moment.ts'
import type { Context } from '../terminal/context.ts'
import { list } from '../terminal/table.ts'
import { paint, type Text } from '../terminal/text.ts'
import { type AddCommand, runs, show, withExamples } from './add-command.ts'
import { clockTime, gameDay } from './game-time.ts'

export const status: AddCommand = (program, context) => {
  const command = program.command('status').description('the farm at a glance')
  withExamples(command, 'status', 'status --json', 'status --url http://localhost:8080')
  runs(command, context, ['status', 'health', 'join'], async ({ farm }) => {
    const joining = joiningOf(farm)
    try {
      const [record, health, cause] = await Promise.all([farm.status(), farm.health(), joining])
      show(command, context, record, () => statusLines(record, context, cause, health))
    } catch (error) {
      // The body of this error is the last known status.
      if (error instanceof FarmgateError && error.code === 'game_unavailable') {
        const cause = await joining
        show(command, context, error.body, () => statusLines(error.body as Status, context, cause))
      }
      throw error
    }
  })
}

/** Why friends cannot join; undefined where nothing is wrong, and for a key that may not read it. */
async function joiningOf(farm: Pick<Farm, 'join'>): Promise<Text | undefined> {
  const cause = await farm.join({}).then(firstWrong, (error: unknown) => {
    if (error instanceof FarmgateError) return undefined
    throw error
  })
  return cause && paint('yellow', `${cause.message} ${cause.next ?? ''}`.trim())
}

const statusLines = (status: Status, { out }: Context, joining: Text | undefined, health?: Health): Text[] =>
  list(
    [
      ['Farm', status.farmName || undefined],
      ['Server', status.serverName || undefined],
      ['State', stateOf(status, health)],
      ['Cause', status.cause && causeText(status.cause)],
      ['Joining', status.cause === undefined ? joining : undefined],
      ['Day', gameDay(status)],
      ['Time', status.isOnline ? clockTime(status.timeOfDay) : undefined],
      ['Players', `${status.playerCount} of ${status.maxPlayers}`],
      ['Invite code', status.steamInviteCode ?? status.gogInviteCode],
      ['Server version', status.serverVersion],
      ['Game version', status.gameVersion],
      ['Last heard', status.lastUpdated || undefined],
    ],
    out.columns(),
  )

const causeText = ({ message, next, since }: Cause): Text =>
  paint('red', `${message} ${next} (since ${since})`)

/** As words, coloured by severity. */
export function stateOf(status: Status, health?: Health): Text {
  if (!status.isOnline) return paint('red', 'away')
  const moment = shownMoment(status, health)
  if (moment === 'night') return paint('yellow', 'night: the day is being saved')
  if (moment === 'frozen') return paint('red', 'frozen')
  if (status.isPaused) return paint('yellow', 'paused')
  return status.isReady ? paint('green', 'ready') : paint('yellow', 'not ready for players')
}
