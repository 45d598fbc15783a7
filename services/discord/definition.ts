/**
 * The definition of `/farm` that is registered at Discord
 * (https://discord.com/developers/docs/interactions/application-commands).
 */
import { maxUnits } from '../../handlers/chat-line.ts'
import { timeOfDay } from '../../handlers/game-arguments.ts'

const subcommand = 1
const text = 3
const wholeNumber = 4
/** Interaction context GUILD: Discord offers the command in servers, and not in direct messages. */
const inServers = 0

const without = (name: string, description: string) => ({ type: subcommand, name, description, options: [] })

export const farmDefinition = {
  type: 1,
  name: 'farm',
  description: 'Look at the farm, and help with it',
  options: [
    without('status', 'Date, time and players of the farm'),
    without('players', 'Who is on the farm'),
    without('invite', 'The code to join the farm'),
    {
      type: subcommand,
      name: 'announce',
      description: 'Says a line to everyone in the game',
      options: [
        { type: text, name: 'message', description: 'The line', required: true, max_length: maxUnits.line },
      ],
    },
    {
      type: subcommand,
      name: 'time',
      description: 'Sets the time of day in the game',
      options: [
        {
          type: wholeNumber,
          name: 'value',
          description: '600 is 6 in the morning, 1330 is half past one',
          required: true,
          min_value: timeOfDay.minimum,
          max_value: timeOfDay.maximum,
        },
      ],
    },
    without('backup', 'Makes a backup of the save now'),
    {
      type: subcommand,
      name: 'restart',
      description: 'Restarts the game, after warnings and a backup',
      options: [
        {
          type: text,
          name: 'when',
          description: 'Now, if you leave it out',
          required: false,
          choices: [
            { name: 'now', value: 'now' },
            { name: 'when no players are online', value: 'empty' },
            { name: 'after the night', value: 'night' },
          ],
        },
        { type: text, name: 'reason', description: 'Shown to operators', required: false, max_length: 200 },
      ],
    },
    {
      type: subcommand,
      name: 'bind',
      description: 'Lets this Discord server use a farm, by a code of its operator',
      options: [
        { type: text, name: 'code', description: 'Made by: farmgate discord code', required: true },
        { type: text, name: 'farm', description: 'Its name, where one edge serves several', required: false },
      ],
    },
  ],
} as const

/** Members of the definition that only a global command has, which is registered for all servers. */
export const everywhere = { contexts: [inServers], integration_types: [0] } as const
