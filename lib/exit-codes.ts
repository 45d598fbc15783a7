/** Exit codes that mean the same in every process of farmgate; 78 is `EX_CONFIG` of sysexits(3). */
export const exitCodes = {
  done: 0,
  failed: 1,
  wrongUsage: 2,
  wrongEnvironment: 78,
  interrupted: 130,
} as const
