/** The storage for copies of backups, by the variables `BACKUP_S3_…` (docs/configuration.md). */
import { hostAndPort } from '../../lib/failure-cause.ts'
import type { CopyPlace } from '../../services/backups/copies.ts'
import { type S3Options, s3Store } from '../../services/backups/s3-store.ts'
import type { Config } from './config.ts'

type CopyVariables = Pick<
  Config,
  | 'BACKUP_S3_URL'
  | 'BACKUP_S3_ACCESS_KEY_ID'
  | 'BACKUP_S3_SECRET_ACCESS_KEY'
  | 'BACKUP_S3_REGION'
  | 'BACKUP_PASSPHRASE'
>

/** @returns undefined where `BACKUP_S3_URL` is not set */
export function copyPlaceOf(
  values: CopyVariables,
  options: S3Options = { now: Date.now },
): CopyPlace | undefined {
  const {
    BACKUP_S3_URL: url,
    BACKUP_S3_ACCESS_KEY_ID: accessKeyId,
    BACKUP_S3_SECRET_ACCESS_KEY: secretAccessKey,
  } = values
  if (url === undefined || accessKeyId === undefined || secretAccessKey === undefined) return undefined
  return {
    store: s3Store({ url, accessKeyId, secretAccessKey, region: values.BACKUP_S3_REGION }, options),
    passphrase: values.BACKUP_PASSPHRASE,
    place: hostAndPort(new URL(url)),
  }
}
