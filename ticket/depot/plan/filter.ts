import picomatch from 'picomatch'

/** The twelve language codes of the game's localized files. */
export const languageCodes = [
  'de-DE',
  'es-ES',
  'fr-FR',
  'hu-HU',
  'it-IT',
  'ja-JP',
  'ko-KR',
  'pt-BR',
  'ru-RU',
  'tr-TR',
  'zh-CN',
  'th-TH',
] as const

export type LanguageCode = (typeof languageCodes)[number]

/** One rule: a pattern for files, the reason why they are left out, and the language that keeps them. */
interface FilterRule {
  readonly why: string
  readonly pattern: RegExp
  readonly keptBy?: LanguageCode
}

/**
 * All rules (docs/ticket-service.md, Which files are left out). Patterns are matched against depot paths with `/`.
 * A file is left out when a rule matches whose language is not kept.
 */
const filterTable: readonly FilterRule[] = [
  { why: 'audio', pattern: /(^|\/)Wave Bank\.xwb$/i },
  { why: 'audio of game version 1.4', pattern: /(^|\/)Wave Bank\(1\.4\)\.xwb$/i },
  { why: 'fonts zh-CN', pattern: /(^|\/)Content\/Fonts\/Chinese/i, keptBy: 'zh-CN' },
  { why: 'fonts ja-JP', pattern: /(^|\/)Content\/Fonts\/Japanese/i, keptBy: 'ja-JP' },
  { why: 'fonts ko-KR', pattern: /(^|\/)Content\/Fonts\/Korean/i, keptBy: 'ko-KR' },
  ...languageCodes.map((code) => ({
    why: `language ${code}`,
    pattern: new RegExp(`\\.${code}\\.xnb$`, 'i'),
    keptBy: code,
  })),
]

/** @returns why a depot path is left out; `undefined` when it is kept */
export type Filter = (path: string) => string | undefined

/** Keeps every file; for the SDK. */
export const keepAll: Filter = () => undefined

/**
 * Makes the filter of the game depot.
 * @param kept languages to keep
 * @param excluded further glob patterns (`DOWNLOAD_EXCLUDE`); one without `/` matches in any folder
 */
export function gameFilter(kept: ReadonlySet<LanguageCode>, excluded: readonly string[]): Filter {
  const rules = filterTable.filter((rule) => rule.keptBy === undefined || !kept.has(rule.keptBy))
  const globs = excluded.map((glob) => ({
    why: `DOWNLOAD_EXCLUDE ${glob}`,
    matches: picomatch(glob, { dot: true, basename: !glob.includes('/') }),
  }))
  return (path) =>
    rules.find((rule) => rule.pattern.test(path))?.why ?? globs.find((glob) => glob.matches(path))?.why
}

/**
 * Reads the language codes of `PLATFORM_KEEP_LANGUAGES`, in upper or lower case.
 * @returns the known codes, and the unknown words for a warning
 */
export function readLanguages(words: readonly string[]): { kept: Set<LanguageCode>; unknown: string[] } {
  const kept = new Set<LanguageCode>()
  const unknown: string[] = []
  for (const word of words) {
    const code = languageCodes.find((known) => known.toLowerCase() === word.replace('_', '-').toLowerCase())
    if (code === undefined) unknown.push(word)
    else kept.add(code)
  }
  return { kept, unknown }
}
