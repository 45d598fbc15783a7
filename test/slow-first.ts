/** The order of the test files: the slow ones first, or a run would end with one of them alone. */
import { fileURLToPath } from 'node:url'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest files, the slowest first. */
export const slow = [
  'attack/parameters',
  'attack/requests',
  'edge/http-contract',
  'dashboard/docs-page',
  'ticket/serve',
  'services/records/kill',
  'cli/edge',
  'dashboard/looks',
  'cli/node',
  'package/package',
  'ticket/canary',
  'cli/login',
  'dashboard/backups',
  'edge/chat-contract',
  'edge/dashboard',
  'ticket/depot/command',
  'project/alerts',
  'project/worked-example',
  'attack/discord',
  'cli/outage',
  'dashboard/stale',
  'edge/commands',
  'edge/link',
  'cli/discord',
  'edge/link-cut',
  'ticket/depot/kill',
  'runtime/node/http-contract',
  'runtime/node/chat-contract',
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
