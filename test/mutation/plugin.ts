/**
 * Stryker's test runner here: vitest with one thread that stays (`worker.ts`). Stryker's own vitest runner starts a
 * thread for each mutant, which takes longer than the tests, and on vitest 5 it ran no test at all
 * (https://github.com/stryker-mutator/stryker-js/issues/6210).
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { matchesGlob, relative } from 'node:path'
import { declareFactoryPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin'
import {
  type CompleteDryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type TestResult,
  type TestRunner,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner'
import { createVitest } from 'vitest/node'
import { type Answer, type Ask, channelName, end, type ready, type TestOutcome } from './messages.ts'
import { isRoom, type Room, rooms, sample, sampleTests } from './rooms.ts'

/**
 * The tests that can notice each mutant: found by the run without a mutant, and kept for a process that replaces this
 * one.
 */
interface Known {
  /** The file of each test. */
  readonly fileOf: Readonly<Record<string, string>>
  /**
   * For each test file the mutants that it reaches. A mutant without a list of tests was reached outside of tests, but
   * perhaps not only there.
   */
  readonly reached: Readonly<Record<string, readonly string[]>>
  /** Milliseconds of the slowest test of each file. */
  readonly slowest: Readonly<Record<string, number>>
}
const knownFile = 'mutation-known.json'

const resultOf = ({ id, name, file, milliseconds, failure }: TestOutcome): TestResult => {
  const test = { id, name, fileName: file, timeSpentMs: milliseconds }
  return failure === undefined
    ? { ...test, status: TestStatus.Success }
    : { ...test, status: TestStatus.Failed, failureMessage: failure }
}

const name = process.env.MUTATION_ROOM ?? ''
const { tests, testsOf }: Pick<Room, 'tests' | 'testsOf'> = isRoom(name) ? rooms[name] : { tests: [] }

/** @returns the index of the first of these patterns that a file matches; -1 when there is none */
const indexIn = (patterns: readonly string[], file: string) =>
  patterns.findIndex((pattern) => matchesGlob(relative(process.cwd(), file), pattern))

/** Starts vitest and its thread. */
async function startWorker() {
  const vitest = await createVitest('test', {
    config: 'test/mutation/vitest.config.ts',
    watch: false,
    reporters: [{}],
  })
  const specifications = await vitest.globTestSpecifications()
  const files = specifications
    .map(({ moduleId }) => moduleId)
    .toSorted((a, b) => indexIn(tests, a) - indexIn(tests, b))
  const channel = new BroadcastChannel(channelName)
  const heard = <Message>() =>
    new Promise<Message>((resolve) => {
      channel.onmessage = ({ data }: MessageEvent<Message>) => resolve(data)
    })
  const started = heard<typeof ready>()
  const running = vitest.runTestSpecifications(specifications.slice(0, 1))
  await Promise.race([started, running.then(() => Promise.reject(new Error('the worker has ended')))])
  return {
    files,
    run(ask: Ask): Promise<Answer> {
      const answer = heard<Answer>()
      channel.postMessage(ask)
      return answer
    },
    async stop() {
      channel.postMessage(end)
      await running
      channel.close()
      await vitest.close()
    },
  }
}

function warmVitest(): TestRunner {
  let worker: Awaited<ReturnType<typeof startWorker>> | undefined
  let known: Known | undefined = existsSync(knownFile)
    ? JSON.parse(readFileSync(knownFile, 'utf8'))
    : undefined
  const started = async () => {
    worker ??= await startWorker()
    return worker
  }
  const filesFor = (all: readonly string[], options: MutantRunOptions) => {
    const { activeMutant, testFilter, sandboxFileName } = options
    const changed = relative(process.cwd(), sandboxFileName)
    const only = changed === sample ? [sampleTests] : (testsOf?.[changed] ?? tests)
    const chosen = all.filter((file) => indexIn(only, file) >= 0)
    if (known === undefined) return chosen
    const { fileOf, reached } = known
    return testFilter === undefined
      ? chosen.filter((file) => reached[file]?.includes(activeMutant.id))
      : chosen.filter((file) => testFilter.some((id) => fileOf[id] === file))
  }
  return {
    capabilities: () => ({ reloadEnvironment: true }),
    async init() {
      await started()
    },
    async dryRun(): Promise<CompleteDryRunResult> {
      const { files, run } = await started()
      const { outcomes, coverage, reached } = await run({
        files: files.map((path) => ({ path, timeLimit: 120_000 })),
      })
      const slowest: Record<string, number> = {}
      for (const { file, milliseconds } of outcomes)
        slowest[file] = Math.max(slowest[file] ?? 0, milliseconds)
      known = { fileOf: Object.fromEntries(outcomes.map(({ id, file }) => [id, file])), reached, slowest }
      writeFileSync(knownFile, JSON.stringify(known))
      return { status: DryRunStatus.Complete, tests: outcomes.map(resultOf), mutantCoverage: coverage }
    },
    async mutantRun(options) {
      const { files, run } = await started()
      const { activeMutant, testFilter, hitLimit } = options
      const { outcomes, hitCount } = await run({
        files: filesFor(files, options).map((path) => ({
          path,
          // Long enough for a machine that has become slower, short enough for mutants that let every test wait.
          timeLimit: 2000 + 4 * (known?.slowest[path] ?? 0),
        })),
        mutant: activeMutant.id,
        ...(testFilter !== undefined && { tests: testFilter }),
        ...(hitLimit !== undefined && { hitLimit }),
      })
      const complete = { status: DryRunStatus.Complete, tests: outcomes.map(resultOf) } as const
      return toMutantRunResult(determineHitLimitReached(hitCount, hitLimit) ?? complete)
    },
    async dispose() {
      await worker?.stop()
    },
  }
}
warmVitest.inject = tokens()

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'warm-vitest', warmVitest)]
