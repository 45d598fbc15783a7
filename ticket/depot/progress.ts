/** What a download is doing. */
export type Phase = 'connecting' | 'checking' | 'copying' | 'downloading' | 'finishing'

/** Where a download tells how it goes: a terminal's bar, lines in a log, a status route, or nowhere. */
export interface Progress {
  /** A phase begins. `total` is its bytes, 0 when it has none to count. */
  phase(phase: Phase, total: number): void
  /** So many of the phase's bytes are done. */
  advance(bytes: number): void
  /** Something the operator should read. */
  say(text: string): void
  warn(text: string): void
  /** No phase is under way any more. */
  end(): void
}

export const silent: Progress = {
  phase: () => undefined,
  advance: () => undefined,
  say: () => undefined,
  warn: () => undefined,
  end: () => undefined,
}
