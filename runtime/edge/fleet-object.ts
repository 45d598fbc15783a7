/** The list of the fleet's farms, by name. The digests of a farm's keys are stored by the farm's own object. */
import { DurableObject } from 'cloudflare:workers'
import * as v from 'valibot'
import type { EdgeEnv } from './env.ts'

const row = v.object({ farm: v.string(), createdAt: v.string() })
type FleetEntry = v.InferOutput<typeof row>

export class FleetObject extends DurableObject<EdgeEnv> {
  constructor(ctx: DurableObjectState, env: EdgeEnv) {
    super(ctx, env)
    ctx.storage.sql.exec(
      'CREATE TABLE IF NOT EXISTS farms (farm TEXT PRIMARY KEY, createdAt TEXT NOT NULL) WITHOUT ROWID',
    )
  }

  /** @returns whether it is new */
  async add(farm: string, createdAt: string): Promise<boolean> {
    const { rowsWritten } = this.ctx.storage.sql.exec(
      'INSERT OR IGNORE INTO farms (farm, createdAt) VALUES (?, ?)',
      farm,
      createdAt,
    )
    return rowsWritten > 0
  }

  /** @returns whether it was there */
  async remove(farm: string): Promise<boolean> {
    return this.ctx.storage.sql.exec('DELETE FROM farms WHERE farm = ?', farm).rowsWritten > 0
  }

  /** All farms, sorted by name. */
  async list(): Promise<FleetEntry[]> {
    return this.ctx.storage.sql
      .exec('SELECT farm, createdAt FROM farms ORDER BY farm')
      .toArray()
      .map((entry) => v.parse(row, entry))
  }
}
