/**
 * The part of this process's environment that test processes inherit: the paths of programs, and Node's compile cache
 * (vitest.config.ts).
 */
export const inherited: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
}
