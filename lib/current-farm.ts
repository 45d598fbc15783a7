import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * The farm in whose timers, sockets and promises the current code runs; undefined where the process has only one. `fail`
 * handles an error that nothing has caught.
 */
export const currentFarm = new AsyncLocalStorage<{ fail(error: unknown): void }>()
