/** The order of the test files: room by room, and in each the slow ones first, or it would end with one of them alone. */
import { fileURLToPath } from 'node:url'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that begin their rooms, the slowest first. */
export const slow = [
  // First in its room, and so in its process: the Steam library keeps what it has once received.
  'ticket/sign-in-deadlines',
  'simulation/simulation',
  'edge/cluster',
  'edge/http-contract',
  'edge/chat-contract',
  'package/package',
  'project/alerts',
  'runtime/node/watchdog-process',
  'ticket/depot/command',
  'project/worked-example',
  'ticket/serve',
  'dashboard/docs-page',
  'dashboard/looks',
  'runtime/node/host-process',
  'runtime/node/process',
  'ticket/canary',
  'services/backups/hostile-saves',
  'attack/discord',
  'services/host/command-driver',
  'runtime/node/http-contract',
  'services/host/docker-driver',
  'dashboard/setup',
  'dashboard/backups',
  'runtime/node/schedules-process',
  'attack/requests',
  'cli/commands',
  'attack/parameters',
  'dashboard/session',
  'dashboard/accounts',
  'services/records/kill',
  'edge/link-cut',
  'edge/dashboard',
  'dashboard/server',
  'services/backups/nights',
  'dashboard/chat',
  'services/host/systemd-driver',
  'runtime/node/chat-contract',
  'ticket/commands',
  'cli/doctor-services',
  'ticket/depot/kill',
  'ticket/depot/hostile-directory',
  'cli/game-process',
  'attack/game-answers',
  'ticket/depot/disk-space',
  'project/launch',
  'services/backups/full-disk',
  'cli/prompts',
  'cli/discord',
  'ticket/terminal',
  'cli/login',
  'project/read-only',
  'cli/pages-run',
  'attack/frames',
  'services/schedules/cron-times',
  'ticket/depot/memory',
].map((name) => fileURLToPath(new URL(`${name}.test.ts`, import.meta.url)))

/** The order of the rooms: the last ones have only quick files. */
const rooms = [
  ...['edge', 'ticket', 'services', 'images', 'dashboard', 'cli', 'package', 'project', 'attack'],
  ...['edge-worker', 'runtime', 'bridges', 'handlers', 'client', 'own-edge', 'lib'],
]

/** The files of one room run one after another, because only such files share processes. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project: { name } }: TestSpecification) => rooms.indexOf(name)
    const speed = ({ moduleId }: TestSpecification) =>
      slow.includes(moduleId) ? slow.indexOf(moduleId) : slow.length
    return (await super.sort(files)).sort(
      (one, other) => place(one) - place(other) || speed(one) - speed(other),
    )
  }
}
