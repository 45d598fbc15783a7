/**
 * What processes that tests start have of this process's environment: where programs are, and where Node keeps compiled
 * code (vitest.config.ts).
 */
export const inherited: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
}
