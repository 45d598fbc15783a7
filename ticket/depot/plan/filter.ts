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

/** One rule: a pattern for files, the reason why they are omitted, and the language that keeps them. */
interface FilterRule {
  readonly why: string
  readonly pattern: RegExp
  readonly keptBy?: LanguageCode
}

/**
 * All rules (docs/ticket-service.md, Which files are left out). Patterns are matched against depot paths with `/`. A
 * file is left out when a rule matches whose language is not kept.
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

/** Decides which files of a depot are left out. */
export interface Filter {
  /** @returns why a depot path is left out; `undefined` when it is kept */
  whyLeftOut(path: string): string | undefined
  /** The patterns of `DOWNLOAD_EXCLUDE`. */
  readonly patterns: readonly Pattern[]
}

interface Pattern {
  readonly glob: string
  matches(path: string): boolean
}

/** Keeps every file; for the SDK. */
export const keepAll: Filter = { whyLeftOut: () => undefined, patterns: [] }

/**
 * Makes the filter of the game depot.
 * @param kept languages to keep
 * @param excluded further glob patterns (`DOWNLOAD_EXCLUDE`); one without `/` matches in any folder
 */
export function gameFilter(kept: ReadonlySet<LanguageCode>, excluded: readonly string[]): Filter {
  const rules = filterTable.filter((rule) => rule.keptBy === undefined || !kept.has(rule.keptBy))
  const patterns = excluded.map((glob) => ({
    glob,
    matches: picomatch(glob, { dot: true, basename: !glob.includes('/') }),
  }))
  return {
    patterns,
    whyLeftOut(path) {
      const rule = rules.find(({ pattern }) => pattern.test(path))
      if (rule !== undefined) return rule.why
      const pattern = patterns.find(({ matches }) => matches(path))
      return pattern && `DOWNLOAD_EXCLUDE ${pattern.glob}`
    },
  }
}

/** @returns the patterns of `DOWNLOAD_EXCLUDE` that match none of these paths: probably mistyped */
export function unmatchedPatterns({ patterns }: Filter, paths: readonly string[]): string[] {
  return patterns.filter(({ matches }) => !paths.some((path) => matches(path))).map(({ glob }) => glob)
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
