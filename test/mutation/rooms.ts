/** The rooms whose tests are measured by mutation (docs/testing.md, "Mutation"). */

export interface Room {
  /** The files that are mutated. */
  readonly mutate: readonly string[]
  /** The tests that run against each mutant, in this order: the quick ones first, because the first failure ends the run. */
  readonly tests: readonly string[]
  /** The only tests that run against some files: the quickest that notice a change, of many that reach it. */
  readonly testsOf?: Readonly<Record<string, readonly string[]>>
  /** The score in percent below which the run fails. */
  readonly atLeast: number
}

/** Mutated in every run: tests that miss one of its changes prove that the runner does not work. */
export const sample = 'test/mutation/sample.ts'
export const sampleTests = 'test/mutation/sample*.test.ts'

export const rooms = {
  handlers: {
    // Without what `npm run generate` writes: tests compare it with the endpoints, of which each is changed.
    mutate: ['handlers/**/*.ts', '!handlers/chat/**', '!handlers/endpoints/forwarded-endpoints.ts'],
    tests: [
      'test/handlers/endpoints/described.test.ts',
      'test/client/records.test.ts',
      'test/handlers/endpoints/ports.test.ts',
      'test/handlers/!(chat)/**/*.test.ts',
      'test/handlers/**/*.test.ts',
    ],
    atLeast: 98,
  },
  chat: {
    mutate: ['handlers/chat/**/*.ts'],
    tests: ['test/handlers/chat/**/*.test.ts'],
    atLeast: 96,
  },
  http: {
    mutate: ['runtime/http/**/*.ts'],
    tests: ['test/runtime/http/**/*.test.ts'],
    atLeast: 89,
  },
  link: {
    mutate: ['bridges/linked/**/*.ts'],
    tests: ['test/bridges/linked/!(dial|reconnect).test.ts', 'test/bridges/linked/{dial,reconnect}.test.ts'],
    atLeast: 84,
  },
  depot: {
    mutate: ['ticket/depot/{plan,format}/**/*.ts', 'ticket/depot/install/survey.ts'],
    tests: [
      'test/ticket/depot/{unpack,safe-path,read-manifest,plan}.test.ts',
      'test/ticket/depot/filter.test.ts',
    ],
    atLeast: 89,
  },
  session: {
    mutate: ['ticket/session/**/*.ts'],
    tests: [
      'test/ticket/{session-parts,daily-token-check,keep-session}.test.ts',
      'test/ticket/{session-requests,session-threads,logon-client,download-runner,steam-guard,sign-in-session}.test.ts',
      'test/ticket/{sign-in-connections,session-folder,session-file,open-session,command-session}.test.ts',
      'test/ticket/sign-in.test.ts',
    ],
    testsOf: {
      'ticket/session/background-tasks.ts': ['test/ticket/daily-token-check.test.ts'],
      'ticket/session/command-session.ts': ['test/ticket/command-session.test.ts'],
      'ticket/session/daily-token-check.ts': ['test/ticket/daily-token-check.test.ts'],
      'ticket/session/download-runner.ts': ['test/ticket/download-runner.test.ts'],
      'ticket/session/keep-session.ts': ['test/ticket/keep-session.test.ts'],
      'ticket/session/logon-error.ts': ['test/ticket/session-parts.test.ts'],
      'ticket/session/logon.ts': ['test/ticket/logon-client.test.ts'],
      'ticket/session/open-session.ts': ['test/ticket/{open-session,sign-in}.test.ts'],
      'ticket/session/password-sign-in.ts': ['test/ticket/{steam-guard,sign-in}.test.ts'],
      'ticket/session/platform-requests.ts': ['test/ticket/session-requests.test.ts'],
      'ticket/session/qr-sign-in.ts': ['test/ticket/sign-in.test.ts'],
      'ticket/session/remote-session.ts': ['test/ticket/session-threads.test.ts'],
      'ticket/session/renew-token.ts': ['test/ticket/daily-token-check.test.ts'],
      'ticket/session/retry-delays.ts': ['test/ticket/session-parts.test.ts'],
      'ticket/session/session-file.ts': ['test/ticket/{session-folder,session-file}.test.ts'],
      'ticket/session/session-requests.ts': ['test/ticket/session-requests.test.ts'],
      'ticket/session/sign-in-connections.ts': ['test/ticket/{sign-in-connections,sign-in}.test.ts'],
      'ticket/session/sign-in.ts': ['test/ticket/{sign-in-session,sign-in}.test.ts'],
      'ticket/session/token.ts': ['test/ticket/session-parts.test.ts'],
    },
    atLeast: 75,
  },
} as const satisfies Readonly<Record<string, Room>>

export type RoomName = keyof typeof rooms

export const isRoom = (name: string): name is RoomName => Object.hasOwn(rooms, name)
