import { Gauge, type Registry } from 'prom-client'

/** Adds what only the edge measures: how much memory the object of a farm uses for its sockets. */
export function measureState(chat: { readonly stateBytes: number }, registry: Registry): void {
  new Gauge({
    name: 'farmgate_ws_state_bytes',
    help: 'What this object keeps of its sockets, attached and in memory',
    registers: [registry],
    collect() {
      this.set(chat.stateBytes)
    },
  })
}
