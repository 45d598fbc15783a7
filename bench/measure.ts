/** Shared by all benchmarks: subjects in separate processes, which measure themselves, and a table to print. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'

/** A process that is measured, or that makes the load: a file of `bench/`, which is called over IPC. */
export interface Subject {
  readonly pid: number
  /** Calls a function that the subject gave to `serveSubject`. @returns its result */
  call<Answer>(name: string, ...args: readonly unknown[]): Promise<Answer>
  stop(): Promise<void>
}

/** Starts a subject and waits until it is ready. */
export async function startSubject(file: URL, ...args: readonly string[]): Promise<Subject> {
  const child = fork(file, args, {
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  await once(child, 'message')
  let next = 0
  return {
    pid: child.pid ?? 0,
    call: (name, ...callArgs) =>
      new Promise((resolve, reject) => {
        next += 1
        const id = next
        const onMessage = (message: { id: number; answer: never; error?: string }) => {
          if (message.id !== id) return
          child.off('message', onMessage)
          if (message.error === undefined) resolve(message.answer)
          else reject(new Error(message.error))
        }
        child.on('message', onMessage)
        child.send({ id, name, args: callArgs })
      }),
    async stop() {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}

type Functions = Readonly<Record<string, (...args: never[]) => unknown>>

/** For the subject: serves these functions, and `cpu` and `rss`, until the parent disconnects. */
export function serveSubject(functions: Functions): void {
  const all: Functions = { cpu: cpuMilliseconds, rss: () => process.memoryUsage.rss(), ...functions }
  process.on('message', async ({ id, name, args }: { id: number; name: string; args: never[] }) => {
    try {
      process.send?.({ id, answer: await all[name]?.(...args) })
    } catch (error) {
      process.send?.({ id, error: String(error) })
    }
  })
  process.on('disconnect', () => process.exit(0))
  process.send?.('ready')
}

/** Processor time that this process has used, user and system, milliseconds. */
export function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export interface Row {
  readonly what: string
  readonly measured: string
  /** The bound as text; omitted for a number without one. */
  readonly bound?: string
  readonly holds?: boolean
  /** What it should be one day, such as `≤ 60`. */
  readonly goal?: string
  /** What keeps it from its goal, as a profile shows. */
  readonly limit?: string
}

/** The environment variable with the file to which each table is appended, as one line of JSON. */
export const resultsVariable = 'FARMGATE_BENCH_RESULTS'

/** Prints a table. If a row is out of its bound, the process ends with exit code 1. */
export function printTable(title: string, rows: readonly Row[]): void {
  const results = process.env[resultsVariable]
  if (results !== undefined) appendFileSync(results, `${JSON.stringify({ title, rows })}\n`)
  console.log(`\n${title}`)
  console.table(
    rows.map(({ what, measured, bound = '', holds }) => ({
      what,
      measured,
      bound,
      '': holds === undefined ? '' : holds ? 'ok' : 'MISSED',
    })),
  )
  if (rows.some(({ holds }) => holds === false)) process.exitCode = 1
}
