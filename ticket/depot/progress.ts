/** The phases of a download. `updating` is a download that also copies unchanged parts of the old files. */
export type Phase = 'connecting' | 'checking' | 'downloading' | 'updating' | 'finishing'

/** Receives the progress of a download. */
export interface Progress {
  /** A phase begins. `total` is its number of bytes, 0 when it has no byte count. */
  phase(phase: Phase, total: number): void
  /** Further bytes of the phase are done. */
  advance(bytes: number): void
  /** A message for the operator. */
  say(text: string): void
  warn(text: string): void
  /** The last phase has ended. */
  end(): void
}

/** Discards all progress. */
export const silent: Progress = {
  phase: () => undefined,
  advance: () => undefined,
  say: () => undefined,
  warn: () => undefined,
  end: () => undefined,
}
