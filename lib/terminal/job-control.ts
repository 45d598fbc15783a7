import { readFileSync } from 'node:fs'

/** Suspends a program at a terminal and continues it: Ctrl-Z and `fg`. */
export interface JobControl {
  /** Whether there is a shell that could continue a suspended program. */
  canSuspend(): boolean
  /** Stops all processes in front of the terminal, as Ctrl-Z does. Returns when this one is continued. */
  suspend(): void
  /** @returns a function that removes the listener */
  onContinue(listener: () => void): () => void
}

/** The job control of the shell that this process was started from. */
export const shellJobControl: JobControl = {
  canSuspend() {
    try {
      // After the name of the program, which is in brackets: state, parent, process group, session
      // (proc_pid_stat(5)).
      const [, , group, session] = readFileSync('/proc/self/stat', 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
      // A shell with job control is in the same session and has its own process group. In a container, or below `ssh
      // host command`, there is no such shell, and Linux does not suspend.
      return group !== session
    } catch {
      return process.platform !== 'win32'
    }
  },
  // The whole process group, because npm and the launcher wait at the terminal too.
  suspend: () => void process.kill(0, 'SIGTSTP'),
  onContinue(listener) {
    process.on('SIGCONT', listener)
    return () => process.off('SIGCONT', listener)
  },
}
