import type { Exemption } from '../contract/server-under-test.ts'

/** What the platform does not offer, or the edge does differently (docs/edge.md). */
export const edgeExemptions: readonly Exemption[] = ['no key', 'upgrade header']

/** The same Worker on the operator's own machine. */
export const ownEdgeExemptions: readonly Exemption[] = [...edgeExemptions, 'ready']
