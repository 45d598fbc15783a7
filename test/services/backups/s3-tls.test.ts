/** Storage over TLS: copies go only where the certificate is trusted. */

import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { s3Store } from '../../../services/backups/s3-store.ts'
import { savedFarm } from '../../backups/saved-farm.ts'
import { makeCertificate } from '../../platform/certificate.ts'
import { serving } from '../../runtime/node/farmgate-process.ts'
import { s3Key, startS3Server } from '../../s3-server.ts'
import { eventually } from '../../wait.ts'
import { all } from './storage.ts'

const server = await startS3Server()
afterAll(() => server.stop())
const never = new AbortController().signal

/** The storage behind TLS with its own certificate. */
async function overTls(madeAt = new Date()) {
  const { key, cert, file, remove } = await makeCertificate(madeAt)
  const received: string[] = []
  const { port } = new URL(server.url)
  const proxy = createServer({ key, cert }, (incoming, answer) => {
    const { method = '', url: path = '', headers } = incoming
    received.push(`${method} ${path}`)
    const passed = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers)
      response.pipe(answer)
    })
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    proxy.close().closeAllConnections()
    remove()
  })
  const { port: tlsPort } = proxy.address() as AddressInfo
  return { url: `https://127.0.0.1:${tlsPort}/farm/tls`, cert, file, received }
}

async function* content(): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from('a copy')
}
const write = (url: string) =>
  s3Store({ url, ...s3Key }, { now: Date.now }).write('copy.zip', 6, content(), never)

function trust(cert: string): void {
  const usual = getCACertificates('default')
  setDefaultCACertificates([...usual, cert])
  onTestFinished(() => setDefaultCACertificates(usual))
}

test('an untrusted certificate is refused with its cause, and nothing is sent', async () => {
  const { url, received } = await overTls()
  await expect(write(url)).rejects.toThrow(
    'its TLS certificate is not trusted (self-signed, or of an unknown authority)',
  )
  expect(received).toEqual([])
})

test('an expired certificate is refused with its cause', async () => {
  const { url, cert, received } = await overTls(new Date(Date.UTC(2001, 0, 1)))
  trust(cert)
  await expect(write(url)).rejects.toThrow('its TLS certificate has expired')
  expect(received).toEqual([])
})

test('a trusted certificate is accepted, and the copy is read back', async () => {
  const { url, cert } = await overTls()
  trust(cert)
  await write(url)
  const store = s3Store({ url, ...s3Key }, { now: Date.now })
  expect((await all(store.read('copy.zip', 6, never))).toString()).toBe('a copy')
})

test('farmgate trusts a certificate that NODE_EXTRA_CA_CERTS names', async () => {
  const { url, file } = await overTls()
  const saves = savedFarm()
  onTestFinished(saves.remove)
  const farmgate = await serving({
    API_KEY: 'an-api-key-of-the-test',
    SAVES_DIR: saves.savesDir,
    BACKUP_S3_URL: url,
    BACKUP_S3_ACCESS_KEY_ID: s3Key.accessKeyId,
    BACKUP_S3_SECRET_ACCESS_KEY: s3Key.secretAccessKey,
    NODE_EXTRA_CA_CERTS: file,
  })
  const ask = async (method: string) => {
    const headers = { authorization: 'Bearer an-api-key-of-the-test' }
    return (await fetch(`${farmgate.url}/backups`, { method, headers })).text()
  }
  await eventually(async () => expect(await ask('POST')).toContain('"madeAt"'))
  await eventually(async () => expect(await ask('GET')).toContain('"offsite":"done"'))
})
