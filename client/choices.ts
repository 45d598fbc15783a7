/** The values of some types. Written by `npm run generate`. */
import type { FleetTrouble, Scope, WebhookEvent, WebhookFormat } from './types.ts'

export const fleetTroubles: readonly FleetTrouble[] = [
  'offline',
  'never_linked',
  'game_offline',
  'wrong_farm',
  'night_stuck',
  'signed_out',
  'records_failing',
  'backup_failing',
  'backup_old',
  'token_expiring',
  'version_old',
]
export const scopes: readonly Scope[] = ['read', 'chat', 'control', 'admin']
export const webhookEvents: readonly WebhookEvent[] = [
  'player.joined',
  'player.left',
  'player.unlisted',
  'chat.message',
  'day.started',
  'farm.online',
  'farm.away',
  'farm.stuck',
  'game.crashed',
  'game.hung',
  'game.restarted',
  'game.wrong_farm',
  'watchdog.gave_up',
  'backup.failed',
  'token.expiring',
  'key.throttled',
]
export const webhookFormats: readonly WebhookFormat[] = ['standard', 'discord', 'text']
