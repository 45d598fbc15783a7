/** deploy/compose/farms.yaml: many farms in one container. */
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readText } from '../compose.ts'

const text = readText('deploy/compose/farms.yaml')
const service = v.object({
  image: v.literal('farmgate'),
  command: v.string(),
  environment: v.record(v.string(), v.unknown()),
  ports: v.array(v.string()),
  extra_hosts: v.array(v.string()),
  volumes: v.array(v.string()),
})
const { farms } = v.parse(v.object({ services: v.object({ farms: service }) }), parse(text)).services
const dockerfile = readText('Dockerfile')

test('the container runs the command of the image on the folder of farms, and keeps their records in a volume', () => {
  const [, command = ''] = /^CMD (.+)$/m.exec(dockerfile) ?? []
  expect(farms.command).toBe(`${JSON.parse(command).join(' ')} --farms /farms`)
  // Where DATA_DIR of the image is.
  const [, data = ''] = /DATA_DIR=(\S+)/.exec(dockerfile) ?? []
  expect(farms.environment).not.toHaveProperty('DATA_DIR')
  expect(farms.volumes).toEqual([expect.stringMatching(/:\/farms:ro$/), `records:${data}`])
})

test('the ports of the example are published on loopback, and the game of the example is on the host', () => {
  const [, own = ''] = /API_PORT=(\d+)/.exec(text) ?? []
  const [, first, last] = /^127\.0\.0\.1:(\d+)-(\d+):\1-\2$/.exec(farms.ports[0] ?? '') ?? []
  expect(Number(own)).toBeGreaterThanOrEqual(Number(first))
  expect(Number(own)).toBeLessThanOrEqual(Number(last))
  const [, game = ''] = /GAME_API_URL=http:\/\/([\w.]+):/.exec(text) ?? []
  expect(farms.extra_hosts).toEqual([`${game}:host-gateway`])
})
