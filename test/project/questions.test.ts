/** Questions that a reader has. README.md links every page, so each answer is at most two clicks away. */
import { expect, test } from 'vitest'
import { readText } from '../compose.ts'

/** The question, the page and the heading of its answer, and words of the answer. */
const questions: readonly (readonly [question: string, page: string, heading: string, answer: string])[] = [
  ['How do I install farmgate?', 'friends', '## Install', 'docker compose up -d'],
  ['How do my friends join?', 'friends', '## Join', 'farmgate invite'],
  ['How do I change the number of players?', 'friends', '## Rules', 'server.maxPlayers'],
  ['How do I add mods?', 'friends', '## Mods', 'MODS_ACCESS=rw'],
  ['How do I update?', 'friends', '## Update', 'docker compose pull game'],
  ['How do I move my farm to the server?', 'friends', '## Move a farm here', 'farmgate import'],
  ['How do I reach the dashboard from outside?', 'friends', '## Dashboard from outside', '--profile https'],
  ['How do I restart the game each night?', 'dashboard', '### Schedules', '--at 05:00'],
  ['What are the exit codes of the command line?', 'cli', '## Exit codes', '| 5 |'],
  ['How do I make a key for a bot?', 'keys-and-records', '### A bot', '"scopes":["chat"]'],
  ['Who changed what?', 'keys-and-records', '## Audit', 'farmgate audit'],
  ['How does a bot get the chat that it missed?', 'bot', '### Reconnect', '`since`'],
  ['How often may a program ask?', 'api', '## Limits', '600 a minute'],
  ['How do I restore a backup?', 'backups', '## Restore', 'farmgate restore'],
  ['How do I copy backups off-site?', 'backups', '## Off-site copies', 'BACKUP_S3_URL'],
  ['How do I post joins to Discord?', 'notifications', '## Events in a Discord channel', 'New Webhook'],
  ['How do I give a farm a public address without an open port?', 'edge', '## Set it up', 'npm run deploy'],
  ['What does the edge cost?', 'edge', '## Cost', 'free plan'],
  ['How do I sign in to Steam with two factors?', 'ticket-service', '## Sign in', 'Steam Guard'],
  ['How do I get alerts?', 'hosting', '## Alerts', 'alerts.yml'],
  [
    'What does this log message mean?',
    'troubleshooting',
    '## Messages of the log',
    'the game server is unreachable',
  ],
]

test.each(questions)('the pages answer: %s', (_question, page, heading, answer) => {
  const [, rest = ''] = readText(`docs/${page}.md`).split(`\n${heading}\n`)
  const level = heading.indexOf(' ')
  const [section = ''] = rest.split(new RegExp(`\\n#{2,${level}} `))
  expect(section).toContain(answer)
})
