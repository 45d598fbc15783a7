/**
 * Limits of a thread whose garbage is short-lived. V8 does not return the memory of a young generation that has grown,
 * and a young generation larger than the processor's cache is slower.
 */
export const threadLimits = { maxYoungGenerationSizeMb: 4 }
