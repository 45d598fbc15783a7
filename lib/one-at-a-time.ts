/** Runs tasks one at a time, in the order in which they were given. */
export interface OneAtATime {
  /** @returns what the task returns, or rejects as it does; the next task runs in either case */
  run<Done>(task: () => Promise<Done>): Promise<Done>
  /** Whether no task runs or waits. */
  readonly isFree: boolean
}

export function oneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve()
  let count = 0
  return {
    run(task) {
      count += 1
      const done = last.then(task).finally(() => {
        count -= 1
      })
      last = done.catch(() => undefined)
      return done
    },
    get isFree() {
      return count === 0
    },
  }
}
