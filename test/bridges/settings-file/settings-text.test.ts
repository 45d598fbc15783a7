/** The text of the settings file after a change. */
import { describe, expect, test } from 'vitest'
import { settingsFromFile } from '../../../bridges/settings-file/farm-settings.ts'
import { mergeSettings } from '../../../bridges/settings-file/settings-text.ts'
import type { SettingsPatch } from '../../../handlers/settings-change.ts'

const eight: SettingsPatch = { server: { maxPlayers: 8 } }
/** With comments and unknown members in any place. */
const commented = `{
  // By hand: /* not the end */ "MaxPlayers": 1
  "Mods": { /* ours */ "Server": { "MaxPlayers": 3 }, "List": [1, /* two */ 2,], },
  "Game": { "FarmName": "Clover // no comment", "RandomSeed": 18446744073709551615 }, // seed
  "Server": {
    "Unknown": null, "maxplayers" /* how many */ : /* now */ 10 /* of us */, // many
    "Other": "x",
  },
  /* the end */
}
// Thank you.
`
const changed = (text: string, wish = eight) => mergeSettings(text, wish).text

test('a file with comments and trailing commas is read', () => {
  const text = '{ /* ours */ "Server": { "MaxPlayers": 4, // few\n }, }'
  expect(settingsFromFile(text).shown.server.maxPlayers).toBe(4)
})

describe('a change', () => {
  test.each([
    [
      'replaces the value alone: every comment and every unknown member survives',
      commented,
      commented.replace('/* now */ 10', '/* now */ 8'),
    ],
    ['finds names in any case', '{"SERVER":{"maxplayers":10}}', '{"SERVER":{"maxplayers":8}}'],
    ['keeps a byte order mark', '\uFEFF{"Server":{"MaxPlayers":10}}', '\uFEFF{"Server":{"MaxPlayers":8}}'],
    [
      'keeps Windows line ends and tabs',
      '{\r\n\t"Server": {\r\n\t\t"X": 1\r\n\t}\r\n}\r\n',
      '{\r\n\t"Server": {\r\n\t\t"X": 1,\r\n\t\t"MaxPlayers": 8\r\n\t}\r\n}\r\n',
    ],
    [
      'adds a member in the indentation of the file',
      '{\n    "Server": {\n        "X": 1 // ours\n    }\n}\n',
      '{\n    "Server": {\n        "X": 1,\n        "MaxPlayers": 8 // ours\n    }\n}\n',
    ],
    [
      'adds a member after a trailing comma',
      '{\n  "Server": {\n    "X": 1,\n  },\n}\n',
      '{\n  "Server": {\n    "X": 1,\n    "MaxPlayers": 8,\n  },\n}\n',
    ],
    ['adds a section to an empty object', '{}', '{"Server": {"MaxPlayers":8}}'],
    [
      'keeps numbers beyond 2^53',
      '{"Game":{"RandomSeed":18446744073709551615},"Server":{"MaxPlayers":10}}',
      '{"Game":{"RandomSeed":18446744073709551615},"Server":{"MaxPlayers":8}}',
    ],
  ])('%s', (_what, before, after) => {
    expect(changed(before)).toBe(after)
  })

  test('names the values that differ', () => {
    const wish: SettingsPatch = {
      server: { maxPlayers: 8, adminSteamIds: ['1'] },
      game: { petName: 'Apples' },
    }
    const text = '{"Server":{"MaxPlayers":8,"AdminSteamIds":["1"]},"Game":{}}'
    expect(mergeSettings(text, wish).changed).toEqual(['game.petName'])
  })

  test('refuses a file of more values than settings have, before it is parsed', () => {
    expect(() => changed(`{"Server":[${'{},'.repeat(60_000)}`)).toThrow(/more than 100000 values/)
  })

  test('names the line in which a file is not JSON', () => {
    expect(() => changed('{\n"Server": {\n"MaxPlayers" 8}}')).toThrow(/not JSON: \w+ in line 3/)
  })
})
