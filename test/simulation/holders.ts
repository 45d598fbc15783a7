/** The holders of keys: they write, and make, use and revoke keys, at the farm and at the edge. */
import { type Asked, ask } from './ask.ts'
import { apiKey } from './farm.ts'
import type { AuditRow, Model, Place } from './model.ts'
import type { Network } from './network.ts'
import { Program, type VirtualTime } from './virtual-time.ts'

interface HolderParts {
  readonly time: VirtualTime
  readonly network: Network
  readonly model: Model
  readonly trace: (text: string) => void
  readonly onBroken: (error: unknown) => void
}

/** Milliseconds in which the end of a write reaches its row, after its answer. */
const rowWithin = 5000

export function openHolders({ time, network, model, trace, onBroken }: HolderParts) {
  const program = new Program('holder')
  const begin = (work: () => Promise<void>) => void program.run(() => work().catch(onBroken))
  const asked = async (what: string, place: Place, request: Omit<Asked, 'key'>, key = apiKey) => {
    const answer = await ask(network, time, place, { ...request, key })
    trace(`${what} at the ${place}: ${answer?.status ?? 'no answer'}`)
    return answer
  }
  let writes = 0
  const keyAt = (at: number) => model.keys[at % Math.max(1, model.keys.length)]
  const useKey = (place: Place, at: number) =>
    begin(async () => {
      const key = keyAt(at)
      if (key === undefined) return
      const { revoked } = key
      const sentAt = time.elapsed
      const answer = await asked(`uses key ${key.id}`, place, { method: 'GET', path: '/keys/own' }, key.key)
      if (answer !== undefined) model.used(place, key, revoked, sentAt, answer.status)
    })
  return {
    write: (place: Place) =>
      begin(async () => {
        writes += 1
        const write = model.writes(writes, place)
        trace(`begins write ${writes} at the ${place}`)
        const path = `/auth/timeout?value=${write.value}`
        const answer = await asked(`has made write ${write.value}`, place, { method: 'POST', path })
        model.answered(write, answer?.status)
        time.after(rowWithin, () => model.settled(write))
      }),
    makeKey: (place: Place) =>
      begin(async () => {
        const body = { name: 'bot', scopes: ['read'] }
        const answer = await asked('makes a key', place, { method: 'POST', path: '/keys', body })
        if (answer?.status === 201) model.made(answer.body as { readonly id: string; readonly key: string })
      }),
    useKey,
    /** Uses every key everywhere. */
    useKeys() {
      for (const at of model.keys.keys()) for (const place of ['farm', 'edge'] as const) useKey(place, at)
    },
    revokeKey: (place: Place, at: number) =>
      begin(async () => {
        const key = keyAt(at)
        if (key === undefined || key.revoked !== 'no') return
        key.revoked = 'asked'
        const request = { method: 'DELETE', path: `/keys?id=${key.id}` }
        const answer = await asked(`revokes key ${key.id}`, place, request)
        if (answer?.status === 200) key.revoked = { at: time.elapsed }
      }),
    /** Compares the whole audit with what was done. */
    readAudit: () =>
      begin(async () => {
        const rows: AuditRow[] = []
        let path: string | undefined = '/audit?limit=500'
        while (path !== undefined) {
          const answer = await asked('reads the audit', 'farm', { method: 'GET', path })
          const page = answer?.body as { readonly entries: readonly AuditRow[]; readonly next?: string }
          rows.push(...page.entries)
          path = page.next === undefined ? undefined : `/audit?limit=500&before=${page.next}`
        }
        model.audited(rows)
      }),
  }
}
