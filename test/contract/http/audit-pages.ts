/** How the audit is read page by page, and exported (docs/keys-and-records.md). */
import { describe, expect, test } from 'vitest'
import { askWithKey, expectProblem } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'
import { type Entry, pageOf } from './audit-page.ts'

export function auditPagesContract({ start }: RuntimeUnderTest): void {
  describe('pages of the audit', () => {
    const many = sharedServer(start)

    test('are newest first; next leads to the next page until there is none', async () => {
      for (let fps = 1; fps <= 5; fps += 1) await askWithKey(many(), 'POST', `/rendering?fps=${fps}`)
      const first = await pageOf(many(), '?limit=2')
      const second = await pageOf(many(), `?limit=2&before=${first.next}`)
      const third = await pageOf(many(), `?limit=2&before=${second.next}`)
      const shown = [first, second, third].map(({ entries }) => entries.map(({ parameters }) => parameters))
      expect(shown).toEqual([[{ fps: '5' }, { fps: '4' }], [{ fps: '3' }, { fps: '2' }], [{ fps: '1' }]])
      expect(third).not.toHaveProperty('next')
    })

    test('can be limited to an action and to a key', async () => {
      await askWithKey(many(), 'POST', '/time?value=1200')
      expect((await pageOf(many(), '?action=setTime')).entries).toMatchObject([{ action: 'setTime' }])
      expect((await pageOf(many(), '?key=api_key&limit=500')).entries.length).toBeGreaterThanOrEqual(6)
      expect((await pageOf(many(), '?key=another')).entries).toEqual([])
      expect((await pageOf(many(), '?key=another&action=setTime')).entries).toEqual([])
    })

    test.each(['limit=0', 'limit=501', 'limit=x', 'before=x', 'before=-1'])('%s is 400', async (query) => {
      expectProblem(await askWithKey(many(), 'GET', `/audit?${query}`), 400, 'invalid_parameter', {
        parameter: query.split('=')[0],
      })
    })

    test('/audit/export streams every row as a line of JSON, newest first; a page has 500 of them at most and 100 unless limit is given', async () => {
      for (let fps = 1; fps <= 510; fps += 1) await askWithKey(many(), 'POST', '/rendering?fps=1')
      const reply = await askWithKey(many(), 'GET', '/audit/export')
      expect(reply.headers.get('content-type')).toBe('application/jsonl')
      expect(reply.headers.get('content-length')).toBeNull()
      const lines = reply.text.trimEnd().split('\n')
      const rows = lines.map((line) => JSON.parse(line) as Entry)
      expect(rows.length).toBeGreaterThanOrEqual(516)
      expect(rows.slice(0, 500)).toEqual((await pageOf(many(), '?limit=500')).entries)
      expect(rows.slice(0, 100)).toEqual((await pageOf(many())).entries)
      expect(rows.map(({ id }) => id)).toEqual(
        rows
          .map(({ id }) => id)
          .sort()
          .reverse(),
      )
      expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
    })

    test('/audit/export can be limited to an action and to a key', async () => {
      const reply = await askWithKey(many(), 'GET', '/audit/export?action=setTime&key=api_key')
      expect(reply.text.trimEnd().split('\n')).toHaveLength(1)
    })
  })
}
