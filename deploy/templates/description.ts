/** What all templates say of farmgate: the one description that `npm run templates` writes them from. */

const repository = 'https://github.com/farmgate/farmgate'

export const description = {
  id: 'io.github.farmgate',
  name: 'farmgate',
  author: 'farmgate',
  tagline: 'A dedicated Stardew Valley server with a web page',
  text: [
    'A farm that is open while no one plays on it: the game server, sign-in to Steam, and a web page for players, chat, settings, mods and backups.',
    'You need a Steam account that owns Stardew Valley. After the start, the log of the ticket service has a link to sign in and to download the game.',
  ],
  repository,
  support: `${repository}/issues`,
  docs: `${repository}/blob/main/docs/friends.md`,
  /** Files of the default branch. */
  raw: 'https://raw.githubusercontent.com/farmgate/farmgate/main',
  /** Of the page, inside the container. */
  port: 8080,
  /** In this repository. */
  icon: 'dashboard/icon.svg',
  screenshots: ['docs/pictures/dashboard-light.png', 'docs/pictures/backups.png'],
} as const

/** A variable that a newcomer needs. */
export interface Variable {
  readonly name: string
  readonly label: string
  readonly text: string
  readonly default?: string
  readonly isSecret?: true
}

const variable = (
  name: string,
  label: string,
  text: string,
  more: Pick<Variable, 'default' | 'isSecret'> = {},
): Variable => ({ name, label, text, ...more })

/** Those of the whole stack, which makes all keys itself. */
export const stackVariables: readonly Variable[] = [
  variable('SERVER_NAME', 'Server name', 'The name that players see.', { default: 'Farm' }),
  variable('SERVER_PASSWORD', 'Join password', 'Players type it to join; 6 or more characters.', {
    isSecret: true,
  }),
  variable('SAVES_ACCESS', 'Access to saves', 'rw lets farmgate restore backups; ro does not.', {
    default: 'rw',
  }),
]

/** Where the services keep what they write: the volume or the variable in compose.yaml, and a folder's name. */
export const folders: Readonly<Record<string, string>> = {
  'game-data': 'game',
  saves: 'saves',
  records: 'records',
  'platform-session': 'session',
  'game-keys': 'keys',
  SETTINGS_FOLDER: 'settings',
  MODS_FOLDER: 'mods',
  DIAGNOSTICS_FOLDER: 'diagnostics',
  BACKUPS_FOLDER: 'backups',
  SECRETS_FOLDER: 'secrets',
}
