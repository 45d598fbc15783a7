/** The series that only the farm's own process has. */
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { measureRecords } from '../../../services/records/metrics.ts'
import { serving } from './farmgate-process.ts'
import { samplesIn, scrape, seriesValue } from './scrape.ts'

const key = 'metrics-metrics-metrics-metrics'
const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }

test('the metrics of a farm count its keys, the commits of its records, and the audit by outcome', async () => {
  const { url } = await serving({ API_KEY: key })
  const before = await scrape(url, key)
  expect(seriesValue(before, 'farmgate_keys')).toBe(0)
  const body = JSON.stringify({ name: 'bot', scopes: ['chat'] })
  expect((await fetch(`${url}/keys`, { method: 'POST', headers, body })).status).toBe(201)
  expect((await fetch(`${url}/time?value=1200`, { method: 'POST', headers })).status).toBe(200)
  expect((await fetch(`${url}/time?value=1`, { method: 'POST', headers })).status).toBe(400)
  const after = await scrape(url, key)
  const grown = (name: string) =>
    (seriesValue(after, name) ?? Number.NaN) - (seriesValue(before, name) ?? Number.NaN)
  expect(seriesValue(after, 'farmgate_keys')).toBe(1)
  expect(seriesValue(after, 'farmgate_audit_rows_total', { outcome: 'done' })).toBe(2)
  expect(seriesValue(after, 'farmgate_audit_rows_total', { outcome: 'refused' })).toBe(1)
  expect(seriesValue(after, 'farmgate_audit_rows_late_total')).toBe(0)
  expect(seriesValue(after, 'farmgate_records_on_disk')).toBe(1)
  expect(seriesValue(after, 'farmgate_records_failures_total')).toBe(0)
  expect(grown('farmgate_records_commits_total')).toBeGreaterThan(0)
  expect(grown('farmgate_records_commit_seconds_total')).toBeGreaterThan(0)
})

test('the metrics of a farm count the rows of its records', async () => {
  const { url } = await serving({ API_KEY: key })
  const body = JSON.stringify({ name: 'bot', scopes: ['chat'] })
  expect((await fetch(`${url}/keys`, { method: 'POST', headers, body })).status).toBe(201)
  expect((await fetch(`${url}/time?value=1200`, { method: 'POST', headers })).status).toBe(200)
  const samples = await scrape(url, key)
  expect(seriesValue(samples, 'farmgate_records_rows', { table: 'audit' })).toBe(2)
  expect(seriesValue(samples, 'farmgate_records_rows', { table: 'keys' })).toBe(1)
})

test('the metrics of a farm show the delay of its event loop in seconds and its memory in bytes', async () => {
  const { url } = await serving({ API_KEY: key })
  const samples = await scrape(url, key)
  expect(seriesValue(samples, 'farmgate_event_loop_delay_seconds')).toBeGreaterThanOrEqual(0)
  expect(seriesValue(samples, 'farmgate_resident_memory_bytes')).toBeGreaterThan(10_000_000)
})

test('the metrics are answered although the thread of the records does not answer', async () => {
  const registry = new Registry()
  measureRecords(
    registry,
    { state: 'failed', failures: 2, measured: async () => undefined },
    { named: undefined },
  )
  const samples = samplesIn(await registry.metrics())
  expect(seriesValue(samples, 'farmgate_records_on_disk')).toBe(0)
  expect(seriesValue(samples, 'farmgate_records_failures_total')).toBe(2)
  expect(seriesValue(samples, 'farmgate_records_rows', { table: 'audit' })).toBeUndefined()
})
