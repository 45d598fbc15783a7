/**
 * Makes `navigator.language` a valid language tag. Chromium on Linux without a locale has `en-US@posix`, which Intl
 * refuses, and uPlot 1.6.32 gives it to Intl while it loads (https://github.com/leeoniya/uPlot/pull/1054).
 */
try {
  Intl.getCanonicalLocales(navigator.language)
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true })
}
