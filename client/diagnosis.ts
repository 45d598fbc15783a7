/** All findings of a farm that its own API shows. */
import { adminFindings } from './admin-findings.ts'
import type { CallOptions } from './call.ts'
import { farmFindings } from './farm-findings.ts'
import {
  backupFindings,
  clockFinding,
  type Finding,
  gameFinding,
  joiningFindings,
  metricsFindings,
  recordsFinding,
} from './findings.ts'
import type { Farm } from './index.ts'

/** @param isAdmin whether the key has the scope `admin` @throws {FarmgateError} */
export async function allFindings(
  farm: Farm,
  { isAdmin, ...options }: CallOptions & { readonly isAdmin: boolean },
): Promise<Finding[]> {
  const before = Date.now()
  const health = await farm.health({}, options)
  const ahead = Date.parse(health.timestamp) - (before + Date.now()) / 2
  const [metrics, backups, ofFarm] = await Promise.all([
    farm.metrics(options),
    farm.backups({}, options),
    farmFindings(farm, health, options),
  ])
  const fromMetrics = metricsFindings(metrics)
  const hasEdge = fromMetrics.some(({ found }) => found === 'link_up' || found === 'link_down')
  return [
    gameFinding(health),
    ...ofFarm,
    ...joiningFindings(health),
    ...fromMetrics,
    recordsFinding(health.records),
    ...backupFindings(backups, Date.now() + ahead),
    ...(isAdmin ? await adminFindings(farm, hasEdge, options) : []),
    clockFinding(ahead),
  ]
}
