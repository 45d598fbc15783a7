import { expect, test } from 'vitest'
import type { DepotFile } from '../../../ticket/depot/format/depot-file.ts'
import type { Manifest } from '../../../ticket/depot/format/manifest.ts'
import { configuredFilter } from '../../../ticket/depot/install/open-context.ts'
import {
  gameFilter,
  type LanguageCode,
  languageCodes,
  readLanguages,
} from '../../../ticket/depot/plan/filter.ts'
import { applyFilter, makePlan } from '../../../ticket/depot/plan/plan.ts'
import { silent } from '../../../ticket/depot/progress.ts'
import { planText } from '../../../ticket/depot/report/plan-text.ts'
import { configOf } from '../setting.ts'
import { farm } from './farm.ts'
import { gameDepot } from './games.ts'

const english = gameFilter(new Set(), [])
const keeping = (...codes: LanguageCode[]) => gameFilter(new Set(codes), [])

function file(path: string, size: number): DepotFile {
  return { path, kind: 'file', size, sha: '', executable: false, target: '', chunks: [] }
}

test('the large audio bank file Wave Bank.xwb is always left out', () => {
  expect(english.whyLeftOut('Content/XACT/Wave Bank.xwb')).toBe('audio')
  expect(keeping(...languageCodes).whyLeftOut('Content/XACT/Wave Bank.xwb')).toBe('audio')
  expect(english.whyLeftOut('Content/XACT/Sound Bank.xsb')).toBeUndefined()
})

test('non-English language files are left out by default; a language is kept when its code is listed', () => {
  for (const code of languageCodes) {
    const path = `Content/Strings/StringsFromCSFiles.${code}.xnb`
    expect(english.whyLeftOut(path)).toBe(`language ${code}`)
    expect(keeping(code).whyLeftOut(path)).toBeUndefined()
    for (const other of languageCodes)
      if (other !== code) expect(keeping(other).whyLeftOut(path)).toBe(`language ${code}`)
  }
  expect(english.whyLeftOut('Content/Strings/StringsFromCSFiles.xnb')).toBeUndefined()
  expect(english.whyLeftOut('Content/Fonts/SmallFont.international.xnb')).toBeUndefined()
})

test('other assets not needed by a dedicated server are left out', () => {
  expect(english.whyLeftOut('Content/XACT/Wave Bank(1.4).xwb')).toBe('audio of game version 1.4')
  const excluding = gameFilter(new Set(), ['*.ogg', 'Content/Minigames/**', '*.{wav,mp3}'])
  expect(excluding.whyLeftOut('Content/Music/a.ogg')).toBe('DOWNLOAD_EXCLUDE *.ogg')
  expect(excluding.whyLeftOut('Content/Minigames/deep/b.xnb')).toBe('DOWNLOAD_EXCLUDE Content/Minigames/**')
  expect(excluding.whyLeftOut('c.mp3')).toBe('DOWNLOAD_EXCLUDE *.{wav,mp3}')
  expect(excluding.whyLeftOut('Content/Maps/Town.xnb')).toBeUndefined()
})

test('a pattern of DOWNLOAD_EXCLUDE that matches no file is named in one warning', async () => {
  const { download } = await farm(gameDepot())
  const warnings: string[] = []
  const progress = { ...silent, warn: (text: string) => void warnings.push(text) }
  const filter = gameFilter(new Set(), ['*.xsb', '*.oog', 'Content/Nothing/**'])
  await download({ filter, progress })
  expect(warnings).toEqual(['DOWNLOAD_EXCLUDE: no file of the game matches *.oog, Content/Nothing/**'])
  // A pattern for a file that is excluded anyway is not mistyped.
  await download({ filter: gameFilter(new Set(), ['Wave Bank.xwb']), progress })
  expect(warnings).toHaveLength(1)
})

test('the download shrinks from about 1.5 GB to about 600 MB', () => {
  const manifest: Manifest = {
    depotId: 413153,
    manifestId: '1',
    files: [
      file('Content/XACT/Wave Bank.xwb', 370e6),
      file('Content/XACT/Wave Bank(1.4).xwb', 480e6),
      ...languageCodes.map((code) => file(`Content/Strings/All.${code}.xnb`, 3e6)),
      file('Content/Fonts/Chinese_0.xnb', 6e6),
      file('Content/Fonts/Japanese_0.xnb', 4e6),
      file('Content/Fonts/Korean_0.xnb', 4e6),
      file('Content/Everything.xnb', 500e6),
      file('Stardew Valley', 100e6),
    ],
  }
  const { kept, leftOut } = applyFilter(manifest, english)
  const survey = { states: new Map(), parts: new Map() }
  const plan = makePlan({ kept, leftOut, survey, before: new Map(), stale: [], force: false })
  const out = plan.leftOut.reduce((sum, { bytes }) => sum + bytes, 0)
  expect(plan.kept.bytes).toBe(600e6)
  expect(plan.kept.bytes + out).toBe(1.5e9)
  const languages = plan.leftOut.filter(({ why }) => /language|fonts/.test(why))
  expect(languages.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(50e6)
  const text = planText({ appId: 413150, name: 'Stardew Valley', depotId: 413153, manifestId: '1' }, plan)
  expect(text).toContain('keep      2 files, 600.0 MB')
  expect(text).toContain('leave out 17 files, 900.0 MB')
  expect(text).toContain('audio: 1 file, 370.0 MB')
})

test('the codes zh-CN, ja-JP, ko-KR also keep larger font families', () => {
  const families = { 'zh-CN': 'Chinese', 'ja-JP': 'Japanese', 'ko-KR': 'Korean' } as const
  for (const [code, family] of Object.entries(families)) {
    const path = `Content/Fonts/${family}_round_3.xnb`
    expect(english.whyLeftOut(path)).toBe(`fonts ${code}`)
    expect(configured(code).whyLeftOut(path)).toBeUndefined()
  }
  expect(configured('zh-CN').whyLeftOut('Content/Fonts/Chinese.zh-CN.xnb')).toBeUndefined()
})

test('an unrecognized code is logged as a warning and ignored', () => {
  const warnings: string[] = []
  const filter = configured('xx-XX,de-DE,klingon', (text) => warnings.push(text))
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toContain('"xx-XX", "klingon" ignored')
  expect(filter.whyLeftOut('a.de-DE.xnb')).toBeUndefined()
  expect(filter.whyLeftOut('a.fr-FR.xnb')).toBe('language fr-FR')
})

test('a language code in any case, or with an underscore, is accepted', () => {
  expect([...readLanguages(['DE-de', 'ZH-cn', 'pt_BR']).kept]).toEqual(['de-DE', 'zh-CN', 'pt-BR'])
})

function configured(languages: string, warn: (text: string) => void = () => undefined) {
  return configuredFilter(configOf({ PLATFORM_KEEP_LANGUAGES: languages }), warn)
}
