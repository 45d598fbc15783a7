/** Changed in every run: tests that miss a change of this file prove that the runner runs something else. */

/** Computed while the file is loaded. */
export const two = 1 + 1

export const sum = (a: number, b: number) => a + b
