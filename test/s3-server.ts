/** A real S3 server on loopback, which checks signatures, times and buckets. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'

/** The only key that the server accepts. */
export const s3Key = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }

export interface S3Server {
  /** Of its bucket `farm`. */
  readonly url: string
  /** The names of its objects under a prefix of the bucket. */
  objects(prefix: string): readonly string[]
  object(prefix: string, name: string): Buffer
  stop(): Promise<void>
}

const suffix = '._S3rver_object'

/** @param port any free one unless given */
export async function startS3Server(port = 0): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), 'farmgate-s3-'))
  const server = new S3rver({
    address: '127.0.0.1',
    port,
    silent: true,
    directory,
    configureBuckets: [{ name: 'farm' }],
  })
  const { port: used } = await server.run()
  const folder = (prefix: string) => join(directory, 'farm', prefix)
  return {
    url: `http://127.0.0.1:${used}/farm`,
    objects(prefix) {
      try {
        return readdirSync(folder(prefix)).flatMap((name) =>
          name.endsWith(suffix) ? [name.slice(0, -suffix.length)] : [],
        )
      } catch {
        return []
      }
    },
    object: (prefix, name) => readFileSync(join(folder(prefix), name + suffix)),
    async stop() {
      await server.close()
      rmSync(directory, { recursive: true })
    },
  }
}
