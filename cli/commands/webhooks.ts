import { setTimeout as pause } from 'node:timers/promises'
import { webhookEvents as events, webhookFormats as formats } from '../../client/choices.ts'
import { withHelpOf } from '../../client/help-links.ts'
import type { Webhook, WebhookDelivery } from '../../client/index.ts'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure, wrongUsage } from '../outcome/failure.ts'
import { confirm } from '../terminal/confirm.ts'
import { askSecret } from '../terminal/secret.ts'
import { type AddCommand, runs, show, showMessage, showRows, withExamples } from './add-command.ts'

/** Milliseconds between two checks of the delivery of a test. */
const pollEvery = 300

interface Options {
  readonly event?: readonly string[]
  readonly format: string
}

export const webhooks: AddCommand = (program, context) => {
  const command = program
    .command('webhooks')
    .description('notifications to Discord, ntfy and programs: list, add, test, deliveries, replay, delete')
  withExamples(
    command,
    'webhooks',
    "webhooks add 'Farm channel' --format discord < url.txt",
    'webhooks test 6f1c2a9b03de',
  )
  runs(command, context, ['webhooks'], async ({ farm }) => {
    const record = await farm.webhooks()
    showRows(command, context, record, () => ({
      header: ['Name', 'Id', 'To', 'Format', 'Waiting', 'Events'],
      rows: record.webhooks.map(row),
      ifNone: 'No webhooks yet.',
    }))
  })

  const add = command
    .command('add <name>')
    .description('make a webhook; its URL, a secret, is read from the terminal or the input')
    .option('--event <events...>', `events to send, all by default: ${events.join(', ')}`)
    .option('--format <format>', formats.join(', '), 'standard')
  withExamples(
    add,
    "webhooks add 'Farm channel' --format discord",
    'webhooks add phone --format text --event farm.away farm.stuck < url.txt',
  )
  runs(add, context, ['createWebhook'], async ({ farm }, name: string, { event, format }: Options) => {
    // The name is in the audit and in the list of webhooks.
    if (/^\s*[a-z][a-z0-9+.-]*:\/\//i.test(name))
      throw wrongUsage(
        'The name of a webhook cannot be a URL, which is a secret. Give a name; farmgate then asks for the URL.',
        "For example: farmgate webhooks add 'Farm channel'",
      )
    const wanted = event === undefined ? [...events] : events.filter((one) => event.includes(one))
    if (event !== undefined && wanted.length !== new Set(event).size)
      throw wrongUsage(`An event is one of ${events.join(', ')}.`)
    const known = formats.find((one) => one === format)
    if (known === undefined) throw wrongUsage(`A format is one of ${formats.join(', ')}.`)
    const url = await askSecret(context, 'URL of the receiver (a secret; not shown): ')
    const made = await farm.createWebhook({ name, url, events: wanted, format: known })
    show(add, context, made, () => [made.secret ?? `Made: ${made.id}`])
    if (made.secret !== undefined)
      context.notes.line('Its receiver verifies with this secret, which is not shown again.')
    context.notes.line(`Try it: farmgate webhooks test ${made.id}`)
  })

  const test = command.command('test <id>').description('send a test and show its outcome')
  withExamples(test, 'webhooks test 6f1c2a9b03de')
  runs(test, context, ['testWebhook', 'webhookDeliveries'], async ({ farm, url }, id: string) => {
    const { deliveryId } = await farm.testWebhook({ id })
    for (;;) {
      // Reads many, because a busy farm may have made other deliveries after the test.
      const { deliveries } = await farm.webhookDeliveries({ id, limit: 500 })
      const delivery = deliveries.find((one) => one.id === deliveryId)
      if (delivery === undefined)
        throw new Failure(exitCodes.notFound, 'The test is no longer known.', 'Try again.')
      if (delivery.state !== 'waiting') {
        show(test, context, delivery, () => [ending(delivery)])
        if (delivery.state === 'failed')
          throw new Failure(
            exitCodes.failed,
            'The test did not arrive.',
            withHelpOf('/help/notifications#delivery has the causes.', url),
          )
        return
      }
      await pause(pollEvery, undefined, { signal: context.interrupted() })
    }
  })

  const deliveries = command
    .command('deliveries <id>')
    .description('past and waiting deliveries, newest first')
    .option('--limit <rows>', 'at most 500', '20')
  withExamples(deliveries, 'webhooks deliveries 6f1c2a9b03de')
  runs(
    deliveries,
    context,
    ['webhookDeliveries'],
    async ({ farm }, id: string, { limit }: { limit: string }) => {
      if (!/^[1-9][0-9]{0,2}$/.test(limit)) throw wrongUsage('--limit is a whole number from 1 to 500.')
      const page = await farm.webhookDeliveries({ id, limit: Number(limit) })
      showRows(deliveries, context, page, () => ({
        header: ['At', 'Event', 'Id', 'State'],
        rows: page.deliveries.map((one) => [one.madeAt, one.event, one.id, ending(one)]),
        ifNone: 'Nothing was sent yet.',
      }))
    },
  )

  const replay = command
    .command('replay <deliveryId>')
    .description('send a delivery again; a waiting one is tried now')
  withExamples(replay, 'webhooks replay 1795258800000000')
  runs(replay, context, ['replayDelivery'], async ({ farm }, deliveryId: string) => {
    showMessage(replay, context, await farm.replayDelivery({ deliveryId }))
  })

  const remove = command
    .command('delete <id>')
    .description('delete a webhook and its deliveries; asks for its name first')
    .option('-y, --yes', 'do not ask for the name')
  withExamples(remove, 'webhooks delete 6f1c2a9b03de')
  runs(
    remove,
    context,
    ['webhooks', 'deleteWebhook'],
    async ({ farm }, id: string, { yes }: { yes?: true }) => {
      const found = (await farm.webhooks()).webhooks.find((one) => one.id === id)
      if (found === undefined)
        throw new Failure(exitCodes.notFound, `There is no webhook ${id}.`, 'farmgate webhooks lists them.')
      await confirm(context, `This deletes the webhook ${found.name}.`, found.name, yes)
      showMessage(remove, context, await farm.deleteWebhook({ id }))
    },
  )
}

const row = ({ name, id, origin, format, disabledAt, waiting, events: chosen }: Webhook) => [
  name,
  id,
  origin,
  format,
  disabledAt === undefined ? String(waiting) : 'switched off',
  chosen.length === events.length ? 'all' : chosen.join(', '),
]

function ending({ state, tries, status, error, nextTryAt }: WebhookDelivery): string {
  const why = error === undefined ? '' : ` (${error === 'status' ? `HTTP ${status}` : error})`
  if (state === 'waiting') return `waiting, ${tries} failed${why}, next ${nextTryAt}`
  return `${state}${why}`
}
