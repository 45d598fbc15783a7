/**
 * The memory of a control group without the page cache that the kernel gives back first: Docker's own formula.
 * @param stats of `memory.stat`: `inactive_file` (cgroup v2) or `total_inactive_file` (v1)
 * @param limit undefined or the machine's own size or more where there is none
 */
export function cgroupMemory(
  usage: number,
  stats: Readonly<Record<string, number>>,
  limit: number | undefined,
): { readonly used: number; readonly limit?: number } {
  const cache = stats['inactive_file'] ?? stats['total_inactive_file'] ?? 0
  return { used: Math.max(0, usage - cache), ...(limit !== undefined && { limit }) }
}
