/** A person at a terminal or behind a pipe. Everything is written to stderr. */
export interface Prompter {
  say(text: string): void
  /** Asks for one line. `hidden` echoes nothing of it. Rejects with an AbortError when the signal aborts first. */
  ask(question: string, options?: { hidden?: boolean; signal?: AbortSignal }): Promise<string>
}
