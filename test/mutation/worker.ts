/**
 * Runs tests against mutants in one thread that stays: starting a worker for each mutant, as a usual run does, takes
 * longer than the tests. vitest starts this as the runner of a test file (`test.runner`), and it serves the mutation
 * runner until that ends. Before each file all modules are loaded again, so that no state of one mutant reaches the next.
 */
import type { MutantCoverage } from '@stryker-mutator/api/core'
import { type RunnerTestCase, type RunnerTestFile, type RunnerTestSuite, TestRunner, vi } from 'vitest'
import { startTests } from 'vitest/internal/browser'
import type { VitestRunner } from 'vitest/runtime'
import { type Answer, type Ask, channelName, end, ready, type TestOutcome } from './messages.ts'

/** What the instrumented code reads and writes. */
interface Instrumented {
  activeMutant?: string | undefined
  currentTestId?: string | undefined
  mutantCoverage?: MutantCoverage | undefined
  hitCount?: number | undefined
  hitLimit?: number | undefined
}
const shared: { __stryker__?: Instrumented } = globalThis as object
shared.__stryker__ ??= {}
const instrumented = shared.__stryker__

const testsOf = (suite: RunnerTestSuite | RunnerTestFile): readonly RunnerTestCase[] =>
  suite.tasks.flatMap((task) => (task.type === 'suite' ? testsOf(task) : [task]))

const nameOf = (task: RunnerTestCase | RunnerTestSuite): string =>
  task.suite === undefined || task.suite === task.file ? task.name : `${nameOf(task.suite)} > ${task.name}`

function outcomeOf(test: RunnerTestCase): TestOutcome {
  const failure = test.result?.state === 'pass' ? undefined : (test.result?.errors?.[0]?.message ?? 'failed')
  return {
    id: test.id,
    name: nameOf(test),
    file: test.file.filepath,
    milliseconds: test.result?.duration ?? 0,
    ...(failure !== undefined && { failure }),
  }
}

export default class MutationWorker extends TestRunner {
  /** vitest calls it before it would collect the test file that it was started for. */
  async onBeforeCollect(): Promise<void> {
    const channel = new BroadcastChannel(channelName)
    const runner = quiet(this)
    await new Promise<void>((stop) => {
      channel.onmessage = async ({ data }: MessageEvent<Ask | typeof end>) => {
        if (data === end) stop()
        else channel.postMessage(await answered(runner, data))
      }
      channel.postMessage(ready)
    })
    channel.close()
    this.cancel('test-failure')
  }
}

/**
 * A runner that reports nothing to vitest, skips everything after the first failure, and returns the coverage of each
 * test.
 */
function quiet(worker: TestRunner): VitestRunner & { failed: boolean } {
  const runner: VitestRunner & { failed: boolean } = Object.create(worker)
  const nothing = () => undefined
  const onFailure = () => {
    runner.failed = true
  }
  process.on('unhandledRejection', onFailure)
  process.on('uncaughtException', onFailure)
  return Object.assign(runner, {
    failed: false,
    onBeforeCollect: nothing,
    onTaskUpdate: nothing,
    onCollectStart: nothing,
    onCollected: nothing,
    onAfterRunSuite: nothing,
    onAfterRunFiles: nothing,
    async onBeforeRunTask(test: RunnerTestCase) {
      if (instrumented.activeMutant !== undefined && runner.failed) test.mode = 'skip'
      await worker.onBeforeRunTask(test)
      instrumented.currentTestId = test.id
    },
    onAfterRunTask(test: RunnerTestCase) {
      instrumented.currentTestId = undefined
      if (test.result?.state === 'fail') runner.failed = true
      worker.onAfterRunTask(test)
    },
  })
}

async function answered(
  runner: VitestRunner & { failed: boolean },
  { files, tests, mutant, hitLimit }: Ask,
): Promise<Answer> {
  instrumented.mutantCoverage = { static: {}, perTest: {} }
  instrumented.activeMutant = mutant
  instrumented.hitLimit = hitLimit
  instrumented.hitCount = 0
  runner.failed = false
  const outcomes: TestOutcome[] = []
  const reached: Record<string, string[]> = {}
  for (const { path: filepath, timeLimit } of files) {
    if (mutant !== undefined && runner.failed) break
    runner.config = { ...runner.config, testTimeout: timeLimit, hookTimeout: timeLimit + 10_000 }
    vi.resetModules()
    const before = { ...instrumented.mutantCoverage.static }

    const [file] = await startTests([{ filepath, testIds: tests && [...tests] }], runner)
    if (file === undefined) continue
    const { static: outsideTests, perTest } = instrumented.mutantCoverage
    const here = Object.entries(outsideTests).filter(([id, count]) => count > (before[id] ?? 0))
    const inTests = testsOf(file).flatMap(({ id }) => Object.keys(perTest[id] ?? {}))
    reached[filepath] = [...new Set([...here.map(([id]) => id), ...inTests])]
    const [error] = file.result?.errors ?? []
    if (error !== undefined) {
      runner.failed = true
      outcomes.push({ id: file.id, name: 'loading', file: filepath, milliseconds: 0, failure: error.message })
    }
    outcomes.push(
      ...testsOf(file)
        .filter(({ mode }) => mode === 'run' || mode === 'queued')
        .map(outcomeOf),
    )
  }
  if (runner.failed && outcomes.every(({ failure }) => failure === undefined))
    outcomes.push({ id: 'process', name: 'process', file: '', milliseconds: 0, failure: 'unhandled error' })
  const { hitCount = 0, mutantCoverage } = instrumented
  instrumented.activeMutant = undefined
  return { outcomes, coverage: mutantCoverage, reached, hitCount }
}
