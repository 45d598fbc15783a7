import * as v from 'valibot'
import { described } from '../described.ts'
import { type Endpoint, endpoint, streamEndpoint } from '../endpoint.ts'
import { timestamp } from '../game-records.ts'
import { isoTime } from '../iso-time.ts'
import { jsonBody } from '../json-body.ts'
import { withoutKey } from '../key-holder.ts'
import { modBudgets } from '../mods.ts'
import { type Parameters, readParameters, sentQuery, shortText } from '../parameter.ts'
import { Problem, requireScope } from '../problem.ts'
import { Stream } from '../stream.ts'
import { downloadBackup } from './download-backup.ts'
import { exportAudit } from './export-audit.ts'
import { modsPack } from './mods-pack.ts'
import { support } from './support.ts'

const all: readonly Endpoint<Parameters, Stream, undefined>[] = [
  downloadBackup,
  exportAudit,
  modsPack,
  support,
]
const downloads = all.filter((one) => one.at === 'farm')

const pathOf =
  "Member 'path' must be the path of a download with its query, such as /backups/download?id=<id>"
const path = v.pipe(v.string(pathOf), v.maxLength(2048, pathOf))

/** @throws {Problem} invalid_parameter */
function downloadAt(asked: string) {
  const [name = '', search = ''] = asked.split('?')
  const download = downloads.find((one) => one.path === name)
  if (download === undefined) throw new Problem('invalid_parameter', pathOf, { parameter: 'path' })
  return { download, query: readParameters(download.parameters, sentQuery(search)) }
}

export const createDownload = endpoint('POST /downloads', {
  at: 'farm',
  tag: 'Downloads',
  operationId: 'createDownload',
  summary: 'Makes a one-time address of a download, for a browser, whose links send no key',
  body: jsonBody(v.strictObject({ path }), { path: '/backups/download?id=1_1_spring_3' }),
  status: 201,
  result: v.object({
    url: described('Relative to the address of the farm.', v.string()),
    expiresAt: timestamp,
  }),
  example: { url: 'downloads/file?code=Zx3Vb7Qm', expiresAt: '2026-11-21T12:01:00.000Z' },
  problems: [...new Set(downloads.flatMap(({ problems }) => problems))].filter(
    (code) => code !== 'range_not_satisfiable',
  ),
  budget: modBudgets.pack,
  async handle(request, farm) {
    const { holder = withoutKey, body } = request
    const { download, query } = downloadAt(body.path)
    const right = { holder, scope: download.scope }
    requireScope(holder, download.scope)
    // What is wrong with it is answered here, where a page can show it.
    const { body: unread } = await download.handle(request.onBehalf(query, right), farm)
    await (unread as ReadableStream<Uint8Array>).cancel()
    const { code, expiresAt } = farm.downloads.begin({ path: body.path, holder })
    return { url: `downloads/file?code=${code}`, expiresAt: isoTime(expiresAt) }
  },
})

const notFound = () =>
  new Problem(
    'download_not_found',
    'This address was used, is over a minute old, or is not one of this farm, or its key has ended',
  )

export const oneDownload = streamEndpoint('GET /downloads/file', {
  at: 'farm',
  access: 'public',
  tag: 'Downloads',
  operationId: 'getDownload',
  summary: 'The download of a one-time address, with the right of the key or session that made it',
  parameters: {
    code: shortText(128, { description: 'The code of the address', example: 'Zx3Vb7Qm' }),
  },
  stream: {
    type: 'application/zip',
    otherTypes: ['application/jsonl'],
    description: 'As the path of the download answers it',
    part: 'The requested range',
  },
  problems: ['download_not_found', ...new Set(downloads.flatMap(({ problems }) => problems))],
  budget: modBudgets.pack,
  async handle(request, farm) {
    const taken = farm.downloads.end(request.query.code)
    if (taken === undefined) throw notFound()
    const { value, giveBack } = taken
    try {
      const { download, query } = downloadAt(value.path)
      const right = { holder: value.holder, scope: download.scope }
      const onBehalf = request.onBehalf(query, right)
      if (!onBehalf.isStillAllowed()) throw notFound()
      const { body, type, ...more } = await download.handle(onBehalf, farm)
      return new Stream(unlessRead(body as ReadableStream<Uint8Array>, giveBack), type, { ...more, right })
    } catch (error) {
      giveBack()
      throw error
    }
  },
})

/** The same stream. @param giveBack called when it ends before its first byte was read, as the answer to HEAD does */
function unlessRead(body: ReadableStream<Uint8Array>, giveBack: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let isRead = false
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        isRead = true
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel(reason) {
        if (!isRead) giveBack()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
