/** The order of the test files: the slow ones first, or a run would end with one of them alone. */
import { fileURLToPath } from 'node:url'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest files, the slowest first. */
export const slow = [
  'edge/http-contract',
  'package/package',
  'edge/chat-contract',
  'attack/parameters',
  'dashboard/looks',
  'edge/dashboard',
  'attack/requests',
  'services/records/kill',
  'ticket/canary',
  'ticket/serve',
  'project/alerts',
  'dashboard/backups',
  'dashboard/by-hand',
  'services/backups/killed-restore',
  'ticket/depot/command',
  'dashboard/docs-page',
  'project/worked-example',
  'attack/discord',
  'cli/node',
  'runtime/node/http-contract',
  'cli/edge',
  'services/backups/hostile-saves',
  'cli/login',
  'ticket/commands',
  'dashboard/weather',
  'dashboard/stale',
  'dashboard/doctor',
  'dashboard/reads-well',
  'runtime/node/chat-contract',
  'edge/link-cut',
  'cli/doctor-services',
  'edge/commands',
  'attack/frames',
  'cli/newcomer',
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
