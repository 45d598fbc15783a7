/**
 * Limits of a thread whose garbage is short-lived. A nursery that grows stays as resident memory, and is slower than
 * one that fits the processor's cache.
 */
export const threadLimits = { maxYoungGenerationSizeMb: 4 }
