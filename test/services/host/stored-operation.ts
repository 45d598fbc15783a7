/** Operations as a host that a test makes shows them. */
import type { HostOperation } from '../../../handlers/host-record.ts'

export const storedOperation = <Rest extends Pick<HostOperation, 'action' | 'state'>>(rest: Rest) =>
  ({
    ...{ id: '6f1c2a9b03de', when: 'now' },
    ...{ requestedAt: '2026-11-21T12:00:00.000Z', by: { id: 'api_key', name: 'API_KEY' }, steps: [] },
    ...rest,
  }) satisfies HostOperation

/** One that has failed, after which the game plays the farm from before. */
export const undoneOperation = (action: HostOperation['action']) =>
  storedOperation({ action, state: 'failed', error: 'no image', undone: true as const })
