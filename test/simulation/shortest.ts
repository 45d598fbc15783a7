import type { Step } from './plan.ts'

/** Simulations that the search for a shorter history may take. */
const tries = 60

/**
 * Leaves out steps, the others at their own times, as long as a promise is still broken.
 * @param run returns the broken promise
 */
export async function shortest(
  plan: readonly Step[],
  first: string,
  run: (steps: readonly Step[]) => Promise<string | undefined>,
): Promise<{ readonly steps: readonly Step[]; readonly broken: string }> {
  let steps = plan
  let broken = first
  let left = tries
  for (let size = Math.ceil(plan.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = 0; at < steps.length && left > 0; left -= 1) {
      const some = [...steps.slice(0, at), ...steps.slice(at + size)]
      const found = await run(some)
      if (found === undefined) at += size
      else [steps, broken] = [some, found]
    }
  return { steps, broken }
}
