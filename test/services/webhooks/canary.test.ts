import { expect, test } from 'vitest'
import { eventually } from '../../wait.ts'
import { aNotifiedFarm, joins } from './a-notified-farm.ts'
import { aReceiver, status } from './a-receiver.ts'

test('the URL and the secret of a webhook are in no line of the log, for any behaviour of its receiver', async () => {
  const receiver = await aReceiver()
  const farm = aNotifiedFarm()
  const canary = 'T0P-S3CRET-PATH'
  const { id, secret = '' } = await farm.listen(`${receiver.url}/${canary}?token=${canary}`)
  receiver.answers(status(500, {}, canary))
  farm.emit(joins('Abby'))
  for (let tries = 1; tries <= 10; tries += 1) {
    await farm.eventuallyDeliveries(id, ([first]) => first?.tries === tries)
    await farm.pass(100_000)
  }
  receiver.answers(status(410, {}, canary))
  farm.emit(joins('Sam'))
  await farm.eventuallyDeliveries(id, ([first]) => first?.state === 'failed')
  await eventually(() => expect(farm.log.length).toBe(2))
  const shown = JSON.stringify([
    farm.log,
    farm.outcomes,
    await farm.deliveriesOf(id),
    await farm.port.webhooks(),
  ])
  expect(receiver.received[0]?.path).toContain(canary)
  for (const part of [canary, 'secret-path', secret, secret.replace('whsec_', '')])
    expect(shown).not.toContain(part)
})
