/** The saves in the game's folder (docs/backups.md, "Saves"). */
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { type GameSave, loadSave, saveName } from '../../../bridges/simulated/save-files.ts'
import { maxModsZip } from '../../../handlers/mod-record.ts'
import { maxUpload } from '../../../handlers/saves.ts'
import { clover } from '../../backups/saved-farm.ts'
import { zippedSave } from '../../backups/zipped-save.ts'
import { eventually } from '../../wait.ts'
import { openAuthenticated } from '../chat-client.ts'
import { askWithKey, expectProblem, type RequestOptions } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'

const zip = { 'Content-Type': 'application/zip' }
const farm = (farmName: string, more: Partial<GameSave> = {}): GameSave => ({
  ...clover,
  farmId: 800_000_000 + farmName.length,
  farmName,
  ...more,
})

export function savesContract({ start }: RuntimeUnderTest): void {
  describe('the saves', () => {
    const server = sharedServer(start)
    const upload = (body: RequestInit['body'], query = '', more: RequestOptions = {}) =>
      askWithKey(server(), 'POST', `/saves${query}`, {
        headers: zip,
        ...(body !== undefined && body !== null && { body }),
        ...more,
      })
    /** Everything in the folder of the saves, also what is hidden. */
    const inFolder = () => (existsSync(server().saved.saves) ? readdirSync(server().saved.saves).sort() : [])
    const uploads = () => {
      const folder = join(server().saved.folder, '..', 'uploads')
      return existsSync(folder) ? readdirSync(folder) : []
    }

    test('are listed with farm, day, people, size and time, the one that the game plays first', async () => {
      const { json } = await askWithKey(server(), 'GET', '/status')
      const { farmName, season, day, year } = Object(json)
      const played = farm(farmName, { date: { season, day, year } })
      const other = farm('Daisy', { date: { season: 'winter', day: 28, year: 3 } })
      server().saved.save(played)
      server().saved.save(other)
      const { status, json: list } = await askWithKey(server(), 'GET', '/saves')
      expect(status).toBe(200)
      const shown = (save: GameSave, active: boolean) => ({
        name: saveName(save),
        farmName: save.farmName,
        ...save.date,
        people: ['Server', 'Abby', 'Robin & Lewis'],
        host: { name: 'Server', isServer: true },
        bytes: expect.any(Number),
        savedAt: expect.stringMatching(/^2.*Z$/),
        active,
        ...(active && { mods: [] }),
      })
      const { saves } = Object(list)
      expect(saves[0]).toEqual(shown(played, true))
      expect(saves).toContainEqual(shown(other, false))
    })

    test('take an upload as farmgate import does, which is 201 with the save', async () => {
      const save = farm('Marigold')
      const { status, json } = await upload(await zippedSave(save))
      expect(status).toBe(201)
      expect(json).toMatchObject({
        name: saveName(save),
        farmName: 'Marigold',
        ...clover.date,
        active: false,
      })
      expect(loadSave(server().saved.saves, saveName(save))).toEqual({
        farmName: 'Marigold',
        date: clover.date,
      })
      expect(uploads()).toEqual([])
    })

    test('answer an upload with dryRun with what would be added, and add nothing', async () => {
      const before = inFolder()
      const { status, json } = await upload(await zippedSave(farm('Foxglove')), '?dryRun=true')
      expect(status).toBe(200)
      expect(json).toMatchObject({ farmName: 'Foxglove', people: ['Server', 'Abby', 'Robin & Lewis'] })
      expect(inFolder()).toEqual(before)
    })

    test('never replace one: an upload whose name exists is 409 save_exists', async () => {
      const save = farm('Larkspur')
      server().saved.save(save)
      expectProblem(
        await upload(await zippedSave({ ...save, date: { ...save.date, day: 9 } })),
        409,
        'save_exists',
      )
      expect(loadSave(server().saved.saves, saveName(save))?.date).toEqual(clover.date)
    })

    test('refuse what is not an archive of a save, and change nothing', async () => {
      const before = inFolder()
      expectProblem(await upload('not a zip'), 400, 'archive_refused')
      const outside = await zippedSave(farm('Hollyhock'), { 'Hollyhock_1/a': '1', 'Hollyhock_1/A': '2' })
      expectProblem(await upload(outside), 400, 'archive_refused')
      expectProblem(
        await upload('{}', '', { headers: { 'Content-Type': 'application/json' } }),
        415,
        'unsupported_media_type',
      )
      expect([inFolder(), uploads()]).toEqual([before, []])
    })

    test('take 256 MiB at most: one that says it is longer is 413 before it arrives', async () => {
      expect([maxUpload, maxModsZip]).toEqual([268_435_456, 268_435_456])
      const before = inFolder()
      for (const path of ['/saves', '/mods']) {
        const headers = { ...zip, Authorization: `Bearer ${server().key}`, 'Content-Length': maxUpload + 1 }
        const sending = request(server().url + path, { method: 'POST', headers })
        sending.on('error', () => undefined).flushHeaders()
        const [response] = (await once(sending, 'response')) as [IncomingMessage]
        expect([response.statusCode, JSON.parse(await text(response))]).toEqual([
          413,
          expect.objectContaining({
            code: 'payload_too_large',
            error: 'The body is larger than 268435456 bytes',
          }),
        ])
        sending.destroy()
      }
      expect([inFolder(), uploads()]).toEqual([before, []])
    })

    test('forget an upload that was cut off, so that the same one then arrives whole', async () => {
      const save = farm('Primrose')
      const content = await zippedSave(save)
      const before = inFolder()
      const cut = new AbortController()
      let sent = 0
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (sent === 0) controller.enqueue(content.subarray(0, 100))
          sent += 1
        },
      })
      const aborted = upload(body, '', { signal: cut.signal }).then(
        () => 'answered',
        () => 'cut',
      )
      await eventually(() => expect(uploads()).toHaveLength(1))
      cut.abort()
      expect(await aborted).toBe('cut')
      await eventually(() => expect(uploads()).toEqual([]))
      expect(inFolder()).toEqual(before)
      expect((await upload(content)).status).toBe(201)
    })

    test('that are played although another one is right are reported, until someone says that they are right', async () => {
      const { json } = await askWithKey(server(), 'GET', '/status')
      const { farmName, season, day, year } = Object(json)
      server().saved.save(farm(farmName, { date: { season, day, year } }))
      const right = farm('Snowdrop', { farmId: 800_001_000 })
      server().saved.save(right)
      await server().rightFarm.tick()
      const client = await openAuthenticated(server())
      client.send({ type: 'subscribe', payload: { topics: ['status'] } })
      await client.take('subscribed')
      const expectSave = (name: string) => askWithKey(server(), 'POST', `/saves/expect?name=${name}`)
      const unexpected = async () => Object((await askWithKey(server(), 'GET', '/saves')).json).unexpected
      expect(await unexpected()).toBeUndefined()
      const done = await expectSave(saveName(right))
      expect([done.status, done.json]).toEqual([
        200,
        { success: true, message: `${saveName(right)} is the save to play` },
      ])
      const wrong = await unexpected()
      expect(wrong).toEqual({
        kind: 'other_farm',
        expected: { name: 'Snowdrop', number: '800001000', ...clover.date },
        found: { name: farmName, number: expect.stringMatching(/^\d+$/), season, day, year },
        since: expect.stringMatching(/^2.*Z$/),
      })
      await eventually(() =>
        expect(client.messages('event')).toContainEqual(
          expect.objectContaining({
            payload: expect.objectContaining({ topic: 'status', event: 'game.wrong_farm', ...wrong }),
          }),
        ),
      )
      await expectSave(`${wrong.found.name}_${wrong.found.number}`)
      expect(await unexpected()).toBeUndefined()
      const { entries } = Object((await askWithKey(server(), 'GET', '/audit?action=expectSave')).json)
      expect(entries).toHaveLength(2)
      expect(entries[1]).toMatchObject({ outcome: 'done', parameters: { name: saveName(right) } })
    })

    test('are said to be right with one row of the audit, which has the name, the key and the outcome', async () => {
      const right = farm('Larkspur', { farmId: 800_001_001 })
      server().saved.save(right)
      const name = saveName(right)
      const { headers } = await askWithKey(server(), 'POST', `/saves/expect?name=${name}`)
      const { entries } = Object((await askWithKey(server(), 'GET', '/audit?limit=200')).json)
      const own = (one: { readonly parameters?: { readonly name?: string } }) => one.parameters?.name === name
      expect(entries.filter(own)).toMatchObject([
        {
          action: 'expectSave',
          requestId: headers.get('x-request-id'),
          key: { id: 'api_key' },
          outcome: 'done',
          status: 200,
        },
      ])
    })

    test('are right by name: an unknown one is 404 save_not_found', async () => {
      expectProblem(await askWithKey(server(), 'POST', '/saves/expect?name=Nowhere_1'), 404, 'save_not_found')
    })

    test('are chosen by name: an unknown one is 404 save_not_found', async () => {
      expectProblem(await askWithKey(server(), 'POST', '/saves/choose?name=Nowhere_1'), 404, 'save_not_found')
    })
  })
}
