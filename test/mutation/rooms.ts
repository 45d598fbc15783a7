/** The rooms whose tests are measured by mutation (docs/testing.md, "Mutation"). */

export interface Room {
  /** The files that are mutated. */
  readonly mutate: readonly string[]
  /** The tests that run against each mutant, in this order: the quick ones first, because the first failure ends the run. */
  readonly tests: readonly string[]
  /** The score in percent below which the run fails. */
  readonly atLeast: number
}

export const rooms = {
  handlers: {
    mutate: ['handlers/**/*.ts'],
    tests: ['test/handlers/**/*.test.ts'],
    atLeast: 85,
  },
  http: {
    mutate: ['runtime/http/**/*.ts'],
    tests: ['test/runtime/http/**/*.test.ts'],
    atLeast: 75,
  },
  link: {
    mutate: ['runtime/link/**/*.ts'],
    tests: ['test/runtime/link/**/*.test.ts'],
    atLeast: 75,
  },
  depot: {
    mutate: ['ticket/depot/{plan,format}/**/*.ts'],
    tests: ['test/ticket/depot/{format,plan,check-manifest}.test.ts'],
    atLeast: 75,
  },
  session: {
    mutate: ['ticket/session/**/*.ts'],
    tests: ['test/ticket/{token,session-file,background-tasks,keeper}.test.ts'],
    atLeast: 75,
  },
} as const satisfies Readonly<Record<string, Room>>

export type RoomName = keyof typeof rooms

export const isRoom = (name: string): name is RoomName => Object.hasOwn(rooms, name)
