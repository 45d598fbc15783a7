/** Every call for farmgate's own records, once, with checks of its answer. */
import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { Farm, MadeBackup } from '../../../client/index.ts'
import { chatMessage } from '../../../handlers/chat/messages.ts'
import { digestOf } from '../../../lib/keys.ts'
import type { OwnRecords } from '../../../services/records/own-records.ts'
import type { RuntimeUnderTest, ServerUnderTest } from '../server-under-test.ts'
import type { CallsUnderTest } from './call-under-test.ts'
import { hostCalls } from './host-calls.ts'
import { saveCalls } from './save-calls.ts'
import { empty } from './visitors.ts'

const noon = Date.parse('2026-11-20T12:00:00.000Z')
const at = new Date(noon).toISOString()
const abby = { playerId: 6_208_260_877_024_290_921n, name: 'Abby' }

const hook = {
  name: 'Farm channel',
  url: 'https://hooks.example/farm',
  events: ['player.joined' as const],
  format: 'standard' as const,
}

const daily = {
  name: 'Slow evenings',
  cron: '0 5 * * *',
  do: { action: 'clock_speed' as const, multiplier: 2 },
}

/** A person who has signed in. @returns the id of the account */
async function someone({ calls }: OwnRecords, name: string): Promise<string> {
  const id = randomBytes(6).toString('hex')
  const session = { id, digest: digestOf(id), accountId: id }
  const person = { provider: 'discord' as const, subject: id, name, groups: [] }
  return (await calls.signIn(person, session, Date.now())) ?? expect.fail('there is no room')
}

async function backedUp(farm: Farm, { saved }: ServerUnderTest): Promise<MadeBackup> {
  saved.saveAgain({ farmName: (await farm.status()).farmName })
  const made = await farm.makeBackup()
  expect(made).toMatchObject({ reason: 'manual', verifiedAt: expect.any(String) })
  return made
}

async function boundDiscord(
  farm: Farm,
  records: ServerUnderTest['records'],
  serverId: string,
): Promise<void> {
  const { code } = await farm.makeDiscordCode()
  expect(await records.of('local').bindDiscordServer({ code, serverId })).toBe(true)
}

/** @param origin of the server, as in rows of the audit */
export const recordCalls = (origin: RuntimeUnderTest['origin']) =>
  ({
    async backups(farm, server) {
      const { id } = await backedUp(farm, server)
      const kept = await farm.backups()
      expect(kept.backups.map((one) => one.id)).toContain(id)
      return kept
    },
    makeBackup: backedUp,
    async restoreBackup(farm, server) {
      const { id } = await backedUp(farm, server)
      await empty(farm, server)
      return farm.restoreBackup({ id, dryRun: true })
    },
    async deleteBackup(farm, server) {
      const { id } = await backedUp(farm, server)
      const { body, bytes } = await farm.downloadBackup({ id, from: 2 })
      expect((await new Response(body).arrayBuffer()).byteLength).toBe(bytes - 2)
      return farm.deleteBackup({ id })
    },
    ...hostCalls,
    ...saveCalls,
    async audit(farm) {
      await farm.setTime({ value: 1400 })
      const page = await farm.audit({ action: 'setTime', limit: 1 })
      expect(page.entries).toMatchObject([
        { action: 'setTime', origin, parameters: { value: '1400' }, outcome: 'done' },
      ])
      const lines = await new Response(await farm.exportAudit({ action: 'setTime' })).text()
      expect(JSON.parse(lines.slice(0, lines.indexOf('\n')))).toEqual(page.entries[0])
      return page
    },
    async keys(farm) {
      const { id } = await farm.createKey({ name: 'Listed', scopes: ['read'] })
      const listed = await farm.keys()
      expect(listed.keys).toContainEqual(expect.objectContaining({ id, name: 'Listed', scopes: ['read'] }))
      return listed
    },
    async ownKey(farm) {
      const own = await farm.ownKey()
      expect(own).toEqual({ id: 'api_key', name: 'API_KEY', scopes: ['read', 'chat', 'control', 'admin'] })
      return own
    },
    async createKey(farm) {
      const made = await farm.createKey({ name: 'Monitor', scopes: ['read', 'chat'], expiresInDays: 30 })
      expect(made.key).toMatch(new RegExp(`^fg_${made.id}_`))
      return made
    },
    async revokeKey(farm) {
      const { id } = await farm.createKey({ name: 'Revoked', scopes: ['read'] })
      const done = await farm.revokeKey({ id })
      expect((await farm.keys()).keys.map((key) => key.id)).not.toContain(id)
      return done
    },
    async historySessions(farm, { records }) {
      const session = {
        ...abby,
        id: noon * 1000,
        joinedAt: noon,
        seenAt: noon + 1,
        played: 0,
        joinPath: 'lan' as const,
      }
      records.later.sessionBegan(session)
      records.later.sessionEnded({ ...session, seenAt: noon + 60_000, played: 60_000 }, 'left')
      const page = await farm.historySessions({ playerId: abby.playerId, limit: 5 })
      expect(page.sessions).toMatchObject([{ ...abby, joinedAt: at, ended: 'left' }])
      return page
    },
    async historyPlayers(farm, { records }) {
      records.later.sessionBegan({
        playerId: -9n,
        name: 'Sam',
        id: (noon + 5) * 1000,
        joinedAt: noon + 5,
        seenAt: noon + 6,
        played: 0,
        joinPath: 'relay',
      })
      const players = await farm.historyPlayers()
      expect(players.players).toContainEqual(expect.objectContaining({ playerId: -9n, name: 'Sam' }))
      return players
    },
    async historySamples(farm, { records }) {
      records.later.sampled({ at: noon, players: 3, tickMs: 1.5 })
      const samples = await farm.historySamples({
        from: at,
        to: new Date(noon + 600_000).toISOString(),
        step: 600,
      })
      expect(samples).toEqual({
        step: 600,
        samples: [{ at, players: { mean: 3, max: 3 }, tickMs: { mean: 1.5, max: 1.5 } }],
      })
      return samples
    },
    async historyDays(farm, { records }) {
      records.later.dayBegan({ beganAt: noon, day: 27, season: 'spring', year: 1 })
      records.later.dayPlayers(noon, [abby])
      const page = await farm.historyDays({ limit: 1 })
      expect(page.days).toEqual([{ day: 27, season: 'spring', year: 1, beganAt: at, players: [abby] }])
      return page
    },
    async historyOutages(farm, { records }) {
      records.later.outage({ of: 'game', from: noon, to: noon + 60_000, cause: 'process_crashed' })
      records.later.outage({ of: 'farmgate', from: noon + 60_000 })
      const history = await farm.historyOutages({ from: at })
      expect(history.outages).toEqual([
        { of: 'farmgate', from: new Date(noon + 60_000).toISOString() },
        { of: 'game', from: at, to: new Date(noon + 60_000).toISOString(), cause: 'process_crashed' },
      ])
      return history
    },
    async historyChat(farm, { records }) {
      const line = { playerName: 'Abby', message: 'hello', timestamp: at }
      records.later.chatLine({ seq: 1, text: chatMessage(line, 1) }, noon)
      const page = await farm.historyChat({ limit: 5 })
      expect(page.lines).toEqual([{ ...line, seq: 1 }])
      return page
    },
    async webhooks(farm) {
      const { id } = await farm.createWebhook({ ...hook, name: 'Listed' })
      const listed = await farm.webhooks()
      expect(listed.webhooks).toContainEqual(
        expect.objectContaining({ id, name: 'Listed', origin: 'https://hooks.example' }),
      )
      return listed
    },
    async createWebhook(farm) {
      const made = await farm.createWebhook(hook)
      expect(made.secret).toMatch(/^whsec_/)
      return made
    },
    async deleteWebhook(farm) {
      const { id } = await farm.createWebhook(hook)
      const done = await farm.deleteWebhook({ id })
      expect((await farm.webhooks()).webhooks.map((one) => one.id)).not.toContain(id)
      return done
    },
    async testWebhook(farm) {
      const { id } = await farm.createWebhook(hook)
      const sent = await farm.testWebhook({ id })
      expect((await farm.webhooks()).webhooks).toContainEqual(expect.objectContaining({ id, waiting: 1 }))
      return sent
    },
    async webhookDeliveries(farm) {
      const { id } = await farm.createWebhook(hook)
      const { deliveryId } = await farm.testWebhook({ id })
      const page = await farm.webhookDeliveries({ id, limit: 5 })
      expect(page.deliveries).toMatchObject([{ id: deliveryId, event: 'test', state: 'waiting', tries: 0 }])
      return page
    },
    async replayDelivery(farm) {
      const { id } = await farm.createWebhook(hook)
      const { deliveryId } = await farm.testWebhook({ id })
      return farm.replayDelivery({ deliveryId })
    },
    async schedules(farm) {
      const { id } = await farm.createSchedule({ ...daily, name: 'Listed' })
      const listed = await farm.schedules()
      expect(listed.schedules).toContainEqual(expect.objectContaining({ id, name: 'Listed' }))
      return listed
    },
    async createSchedule(farm) {
      const made = await farm.createSchedule(daily)
      expect(made).toMatchObject({ ...daily, timeZone: 'UTC', warnMinutes: [], enabled: true })
      return made
    },
    async changeSchedule(farm) {
      const { id } = await farm.createSchedule(daily)
      const changed = await farm.changeSchedule({ id, enabled: false })
      expect(changed).toMatchObject({ id, ...daily, enabled: false, nextAt: null })
      return changed
    },
    async deleteSchedule(farm) {
      const { id } = await farm.createSchedule(daily)
      const done = await farm.deleteSchedule({ id })
      expect((await farm.schedules()).schedules.map((one) => one.id)).not.toContain(id)
      return done
    },
    async runSchedule(farm) {
      const { id } = await farm.createSchedule(daily)
      const run = await farm.runSchedule({ id })
      expect(run.last).toMatchObject({ outcome: 'succeeded' })
      return run
    },
    makeDiscordCode: (farm) => farm.makeDiscordCode(),
    async discordServers(farm) {
      const { code } = await farm.makeDiscordCode()
      const listed = await farm.discordServers()
      expect(code).toMatch(/^[0-9a-f]{20}$/)
      expect(listed.servers.map(({ id }) => id)).not.toContain('1')
      return listed
    },
    async setDiscordRoles(farm, { records }) {
      await boundDiscord(farm, records, '7')
      const done = await farm.setDiscordRoles({ id: '7', roles: [{ id: '8', scopes: ['chat'] }] })
      expect((await farm.discordServers()).servers).toContainEqual(
        expect.objectContaining({ id: '7', roles: [{ id: '8', scopes: ['chat'] }] }),
      )
      return done
    },
    async signInProviders(farm) {
      const found = await farm.signInProviders()
      expect(found.providers.map(({ id }) => id)).toEqual(['discord', 'oidc'])
      return found
    },
    async accounts(farm, { records }) {
      const id = await someone(records, 'Leah')
      const found = await farm.accounts()
      expect(found.accounts).toContainEqual(expect.objectContaining({ id, name: 'Leah', scopes: [] }))
      return found
    },
    async changeAccount(farm, { records }) {
      const id = await someone(records, 'Elliott')
      const done = await farm.changeAccount({ id, scopes: ['read'] })
      expect((await farm.accounts()).accounts.find((one) => one.id === id)?.scopes).toEqual(['read'])
      return done
    },
    async deleteAccount(farm, { records }) {
      const id = await someone(records, 'Haley')
      const done = await farm.deleteAccount({ id })
      expect((await farm.accounts()).accounts.map((one) => one.id)).not.toContain(id)
      return done
    },
    async setAccountGroups(farm) {
      const groups = [{ provider: 'oidc' as const, id: 'farmers', scopes: ['read' as const] }]
      const done = await farm.setAccountGroups({ groups })
      expect((await farm.accounts()).groups).toEqual(groups)
      return done
    },
    async invitations(farm) {
      const { url: _, ...made } = await farm.createInvitation({ scopes: ['chat'], uses: 2 })
      const found = await farm.invitations()
      expect(found.invitations).toContainEqual(made)
      return found
    },
    createInvitation: (farm) => farm.createInvitation({ scopes: ['read', 'chat'], expiresInDays: 3 }),
    async deleteInvitation(farm) {
      const { id } = await farm.createInvitation({ scopes: ['chat'] })
      const done = await farm.deleteInvitation({ id })
      expect((await farm.invitations()).invitations.map((one) => one.id)).not.toContain(id)
      return done
    },
    async showInvitation(farm) {
      const { url, expiresAt } = await farm.createInvitation({ scopes: ['chat'] })
      const shown = await farm.showInvitation({ code: url.split('=')[1] ?? '' })
      expect(shown).toEqual({ scopes: ['chat'], expiresAt })
      return shown
    },
    async unbindDiscordServer(farm, { records }) {
      await boundDiscord(farm, records, '9')
      const done = await farm.unbindDiscordServer({ id: '9' })
      expect((await farm.discordServers()).servers.map(({ id }) => id)).not.toContain('9')
      return done
    },
  }) satisfies Partial<CallsUnderTest>
