/** The order of the test files: the slow ones first, or a run would end with one of them alone. */
import { fileURLToPath } from 'node:url'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest files, the slowest first. */
export const slow = [
  'edge/http-contract',
  'services/backups/killed-restore',
  'edge/chat-contract',
  'package/package',
  'project/alerts',
  'runtime/node/watchdog-process',
  'ticket/depot/command',
  'project/worked-example',
  'ticket/serve',
  'dashboard/backups',
  'dashboard/by-hand',
  'runtime/node/host-process',
  'runtime/node/process',
  'ticket/canary',
  'services/backups/hostile-saves',
  'attack/discord',
  'services/host/command-driver',
  'runtime/node/http-contract',
  'services/host/docker-driver',
  'dashboard/docs-page',
  'dashboard/stale',
  'runtime/node/schedules-process',
  'attack/requests',
  'cli/commands',
  'attack/parameters',
  'dashboard/looks',
  'dashboard/server',
  'services/records/kill',
  'edge/link-cut',
  'edge/dashboard',
  'dashboard/reads-well',
  'services/backups/nights',
  'dashboard/weather',
  'services/host/systemd-driver',
  'dashboard/webhooks',
  'runtime/node/chat-contract',
  'ticket/commands',
  'cli/doctor-services',
  'dashboard/doctor',
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
  'dashboard/session',
  'ticket/depot/memory',
].map((name) => fileURLToPath(new URL(`${name}.test.ts`, import.meta.url)))

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const first = slow.flatMap((file) => sorted.filter(({ moduleId }) => moduleId === file))
    const rest = sorted.filter(({ moduleId }) => !slow.includes(moduleId))
    const isOfImages = ({ project }: TestSpecification) => project.name === 'images'
    const others = rest.filter((file) => !isOfImages(file))
    // The images are built while the others run.
    const half = Math.ceil(others.length / 2)
    return [...first, ...others.slice(0, half), ...rest.filter(isOfImages), ...others.slice(half)]
  }
}
