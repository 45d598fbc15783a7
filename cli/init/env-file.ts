/** The `.env` that `farmgate init` writes. */
import type { Answers } from './answers.ts'

interface Line {
  readonly comment: string
  readonly name: string
  readonly value: string
  readonly isMade?: true
}

/** @param make returns a text of as many random letters */
export function envLines(answers: Answers, make: (length: number) => string): readonly Line[] {
  const key = (name: string, comment: string): Line => ({ comment, name, value: make(40), isMade: true })
  const chosen = (comment: string, name: string, value: string): readonly Line[] =>
    value === '' ? [] : [{ comment, name, value }]
  const chosenOrMade = (comment: string, name: string, value: string | undefined, length: number) =>
    value === undefined
      ? [{ comment, name, value: make(length), isMade: true } as const]
      : chosen(comment, name, value)
  return [
    key('API_KEY', 'Key of the control API and of its dashboard.'),
    key('GAME_API_KEY', "Key of the game server's own API, which only the control API uses."),
    key('TICKET_KEY', 'Key of the ticket service, which only the game server uses.'),
    ...chosenOrMade("Password of the game's screen (VNC).", 'VNC_PASSWORD', undefined, 8),
    ...chosenOrMade('What players type to join: !login <this>.', 'SERVER_PASSWORD', answers.joinPassword, 8),
    ...chosen('Steam account of the server.', 'PLATFORM_USERNAME', answers.account),
    ...chosen(
      'Anyone who reaches the control API sees the invite code.',
      'PUBLIC_INVITE_CODES',
      answers.isInviteCodePublic ? 'true' : '',
    ),
    ...chosen(
      'The control API may write to the saves, to restore backups.',
      'SAVES_ACCESS',
      answers.isRestoreAllowed ? 'rw' : '',
    ),
    ...chosen('The name of this machine for HTTPS, by the https profile.', 'API_DOMAIN', answers.domain),
    ...chosen('Number of proxies in front: that of the https profile.', 'TRUST_PROXY', answers.domain && '1'),
    ...chosen('Address of the farm at the edge.', 'EDGE_URL', answers.edgeUrl),
    ...(answers.edgeUrl === ''
      ? []
      : chosenOrMade('Link key of the farm at the edge.', 'EDGE_LINK_KEY', answers.edgeLinkKey, 40)),
  ]
}

/** The address of the dashboard and the help, as this machine reaches them. */
export const dashboardOf = ({ domain }: Answers): string =>
  domain === '' ? 'http://localhost:8080' : `https://${domain}`

/** @param dashboard see `dashboardOf` @returns the content of the file */
export const envText = (lines: readonly Line[], dashboard: string): string =>
  [
    '# Made by farmgate init. It holds keys: show it to no one, and keep a copy on another machine.',
    `# .env.example has all other variables, ${dashboard}/help/configuration says what each one is.`,
    ...lines.flatMap(({ comment, name, value }) => ['', `# ${comment}`, `${name}=${value}`]),
    '',
  ].join('\n')
