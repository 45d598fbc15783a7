import * as v from 'valibot'
import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { jsonBody } from '../json-body.ts'
import { Problem } from '../problem.ts'
import { settingsChange, settingsPatch } from '../settings-change.ts'
import { settings } from './settings.ts'

export const changeSettings = endpoint('PATCH /settings', {
  at: 'farm',
  scope: 'admin',
  tag: 'Settings',
  operationId: 'changeSettings',
  summary: docs('Changes members of server-settings.json; missing ones stay unchanged'),
  body: jsonBody(settingsPatch, { server: { maxPlayers: 8 } }),
  result: v.object({ success: v.literal(true), message: v.string(), ...settingsChange.entries }),
  example: {
    success: true,
    message: 'Changed server.maxPlayers',
    settings: { ...settings.example, server: { ...settings.example.server, maxPlayers: 8 } },
    changed: [{ setting: 'server.maxPlayers', takesEffect: 'reload' }],
  },
  needsOne: true,
  problems: ['settings_changed', 'settings_unusable', 'unsupported'],
  check({ body: patch }) {
    if (Object.values(patch).every((section) => Object.keys(section).length === 0))
      throw new Problem('invalid_parameter', 'The body names no setting, such as {"server":{"maxPlayers":8}}')
  },
  async handle({ body: patch }, { game }) {
    const { settings, changed } = await game.changeSettings(patch)
    const names = changed.map(({ setting }) => setting)
    const message = names.length === 0 ? 'Nothing changed' : `Changed ${names.join(', ')}`
    return { success: true as const, message, settings, changed }
  },
})
