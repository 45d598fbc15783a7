/** Every code block of README.md and docs/ is run by a test, or has a reason why not. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readText } from '../compose.ts'
import { codeBlocks } from './code-blocks.ts'

/** The test that runs it, with words in that test; or the reason why none does. */
type Proof = { readonly test: string; readonly words: string } | { readonly why: string }

const pagesRun = 'test/cli/pages-run.test.ts'
const run = (words: string, test = pagesRun): Proof => ({ test, words })
const why = (why: string): Proof => ({ why })

const addWebhook = run("command('add', 'Farm channel'", 'test/cli/webhooks.test.ts')
const demo = run("'npm', ['start']", '.ci/fresh-machine.mjs')
const engine = why('needs a container engine; the images are built and run by `npm run images`')
const install = run("join(root, 'deploy/install.sh')", 'test/project/install.test.ts')
const steam = why('needs Steam; test/ticket/commands.test.ts runs the same commands against a stand-in')
const cloudflare = why('needs an account; test/edge runs the same Worker here')
const shown = why('shows the output of a program, or how things are connected')
const example = why('shows how a file looks')

/** Page, start of its blocks, proof. */
const table: readonly (readonly [string, string, Proof])[] = [
  ['README.md', 'curl -fsSL', install],
  ['README.md', 'npm ci && npm start', demo],
  ['README.md', 'A simulated farm is open', run('FARMGATE_URL', 'test/cli/newcomer.test.ts')],
  ['README.md', 'import { connect }', run('README.md', 'test/package/programs.ts')],
  ['docs/architecture.md', '', example],
  ['docs/backups.md', 'environment:', run('saves:/data/saves', 'compose.yaml')],
  ['docs/backups.md', 'farmgate backups make', run('farmgate backups make')],
  ['docs/backups.md', 'docker compose stop game', run('docker compose stop game')],
  ['docs/backups.md', 'BACKUP_S3_URL=', run('BACKUP_S3_URL', 'test/runtime/node/backup-copies.test.ts')],
  [
    'docs/backups.md',
    'aws s3 cp',
    why(
      'needs storage and its tool; test/services/backups/copy-offsite.test.ts opens copies by age-encryption',
    ),
  ],
  ['docs/backups.md', 'farmgate restore', run("'restore'", 'test/cli/backups.test.ts')],
  ['docs/backups.md', 'farmgate import', run("'import'", 'test/cli/import-save.test.ts')],
  [
    'docs/backups.md',
    'docker compose cp',
    why('needs a container engine; test/services/backups/restore-smapi.test.ts puts the archive there'),
  ],
  [
    'docs/backups.md',
    'docker compose run --rm --no-deps api',
    run("'docs/backups.md', 'docker compose run --rm --no-deps api'", 'test/images/volumes.test.ts'),
  ],
  [
    'docs/backups.md',
    'docker compose run --rm prepare',
    run("'docs/backups.md', 'docker compose run --rm prepare'", 'test/images/volumes.test.ts'),
  ],
  ['docs/bot.md', 'import { connect }', run('docs/bot.md', 'test/package/programs.ts')],
  ['docs/bot.md', 'python3 docs/bot.py', run('docs/bot.py', 'test/cli/python-bot.test.ts')],
  ['docs/bot.md', 'npm ci', demo],
  ['docs/bot.md', 'import { connect, FarmgateError }', run('FarmgateError', 'test/package/programs.ts')],
  ['docs/bot.md', 'const live', run('const live = farm.live()', 'test/package/programs.ts')],
  ['docs/bot.md', '→ {', run('transcript', 'test/contract/chat/page.ts')],
  ['docs/cli.md', 'npm run -s farmgate', run('npm run -s farmgate')],
  ['docs/cli.md', 'npx farmgate demo', run('npx farmgate demo', 'test/cli/newcomer.test.ts')],
  ['docs/cli.md', 'npx farmgate login', run('npx farmgate login')],
  ['docs/cli.md', 'FARMGATE_URL=', run('FARMGATE_URL=')],
  ['docs/dashboard.md', 'npx farmgate restart', run('npx farmgate restart')],
  ['docs/dashboard.md', 'npx farmgate schedules', run('npx farmgate schedules add')],
  ['docs/cli.md', '✔', shown],
  ['docs/cli.md', 'npx farmgate players', run("['players'", 'test/cli/commands.test.ts')],
  ['docs/configuration.md', 'mkdir -p secrets', run('mkdir -p secrets')],
  ['docs/notifications.md', '$ farmgate discord register', run("'register'", 'test/cli/discord.test.ts')],
  ['docs/notifications.md', '$ farmgate discord', run("'discord', 'code'", 'test/cli/discord.test.ts')],
  ['docs/edge.md', 'clients', shown],
  ['docs/edge.md', 'npm run', cloudflare],
  [
    'docs/edge.md',
    'API_KEY=… LINK_KEY=… npm run edge --',
    run("'run', 'edge'", 'test/edge/commands.test.ts'),
  ],
  [
    'docs/edge.md',
    'API_KEY=… LINK_KEY=… npm run edge:serve',
    run("'run', 'edge:serve'", 'test/edge/own-edge.test.ts'),
  ],
  ['docs/edge.md', 'EDGE_URL=', run('EDGE_URL', 'test/project/variables.test.ts')],
  [
    'docs/friends.md',
    'docker run --rm -it',
    run("'docs/friends.md', 'docker run --rm -it'", 'test/images/images.test.ts'),
  ],
  ['docs/friends.md', 'curl -fsSL', install],
  ['docs/friends.md', './farmgate status', run("'./farmgate status'")],
  ['docs/friends.md', './farmgate update', run("'update', '--yes'", 'test/project/install.test.ts')],
  [
    'docs/friends.md',
    'docker compose exec api farmgate doctor',
    run("['doctor']", 'test/cli/doctor-farm.test.ts'),
  ],
  ['docs/friends.md', 'docker compose exec api farmgate settings', run("lines('settings')")],
  ['docs/friends.md', 'docker compose exec api farmgate backups  ', run("lines('backups  ')")],
  ['docs/friends.md', 'docker compose run --rm ticket download', steam],
  ['docs/friends.md', 'docker compose up -d', engine],
  ['docs/friends.md', 'docker compose restart', engine],
  ['docs/friends.md', 'docker compose --profile', engine],
  ['docs/friends.md', 'docker run --rm --user root', run('docker run --rm --user root')],
  ['docs/friends.md', 'docker compose down                ', engine],
  ['docs/friends.md', 'SAVES_VOLUME=', run('SAVES_VOLUME=')],
  ['docs/friends.md', 'docker compose down\ndocker run', run('docker compose down\\ndocker run')],
  ['docs/friends.md', 'docker run --rm -v farmgate_saves', run('docker run --rm -v farmgate_saves:/from')],
  ['docs/keys-and-records.md', 'curl', run("'docs/keys-and-records.md', 'curl -H'")],
  ['docs/api.md', 'curl -H', run("'docs/api.md', 'curl -H'")],
  ['docs/api.md', 'curl -X PATCH', run("'docs/api.md', 'curl -X PATCH'")],
  ['docs/api.md', '{', shown],
  [
    'docs/hosting.md',
    'FLEET_KEY=… ./farmgate',
    run("'farm', 'add', 'clover'", 'test/project/farm-commands.test.ts'),
  ],
  ['docs/hosting.md', 'cp deploy/systemd', run('cp deploy/systemd')],
  ['docs/hosting.md', 'systemd-run', steam],
  ['docs/hosting.md', 'systemctl enable', why('needs systemd as the first process of the machine')],
  ['docs/hosting.md', './farmgate keys create', run("['keys', 'create', 'Panel'", 'test/cli/keys.test.ts')],
  ['docs/hosting.md', 'rule_files', example],
  ['docs/hosting.md', 'scrape_configs:', example],
  ['docs/hosting.md', 'services:', example],
  ['docs/hosting.md', 'docker compose up', engine],
  ['docs/hosting.md', 'npm ci', cloudflare],
  ['docs/hosting.md', 'FLEET_KEY=… npm', run("'run', 'edge:serve'", 'test/edge/own-edge.test.ts')],
  ['docs/hosting.md', 'curl', run("'docs/hosting.md', `curl", 'test/cli/fleet.test.ts')],
  [
    'docs/keys-and-records.md',
    'POST',
    run('docs/keys-and-records.md', 'test/runtime/node/keys-page.test.ts'),
  ],
  [
    'docs/keys-and-records.md',
    'farmgate keys create',
    run("inTerminal(['keys', 'revoke'", 'test/cli/keys.test.ts'),
  ],
  ['docs/keys-and-records.md', 'farmgate audit', run("['audit', '--limit'", 'test/cli/keys.test.ts')],
  ['docs/testing.md', 'npm run', why('takes from minutes to hours')],
  ['docs/notifications.md', 'import { Webhook }', example],
  ['docs/notifications.md', '$ farmgate webhooks', addWebhook],
  [
    'docs/notifications.md',
    'WEBHOOK_PRIVATE_HOSTS=',
    run('WEBHOOK_PRIVATE_HOSTS', 'test/attack/environment.test.ts'),
  ],
]

const matches = ([page, beginning]: (typeof table)[number]) =>
  codeBlocks.filter((block) => block.page === page && block.text.startsWith(beginning))

test('every code block of the pages is run by a test, or has a reason why not', () => {
  expect(codeBlocks.length).toBeGreaterThan(60)
  const reported = new Set(table.flatMap(matches))
  const untold = codeBlocks.filter((block) => !reported.has(block))
  expect(untold.map(({ page, text }) => `${page}: ${text.split('\n')[0]}`)).toEqual([])
})

test('every row of the table matches a block of the pages', () => {
  expect(table.filter((row) => matches(row).length === 0)).toEqual([])
})

test('the named tests exist, and contain the words of the table', () => {
  const wrong = table.filter(([, , proof]) => {
    if ('why' in proof) return false
    const path = fileURLToPath(new URL(`../../${proof.test}`, import.meta.url))
    return !existsSync(path) || !readText(proof.test).includes(proof.words)
  })
  expect(wrong).toEqual([])
})
