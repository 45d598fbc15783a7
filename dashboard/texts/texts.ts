/** The language of the page, and its numbers and times. */
import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import { keep, kept } from '../session/browser-storage.ts'
import { en, type Words } from './en.ts'
import { zh } from './zh.ts'

export type Language = 'en' | 'zh'
export const languages: Readonly<Record<Language, Words>> = { en, zh }
/** The language of the document. */
const tags: Readonly<Record<Language, string>> = { en: 'en', zh: 'zh-Hans' }

/** English is written as in the region of the browser (`en-GB`); a tag that Intl refuses is omitted (`en-US@posix`). */
const regional = navigator.languages.find((tag) => {
  try {
    return tag.startsWith('en-') && Intl.getCanonicalLocales(tag).length > 0
  } catch {
    return false
  }
})

const name = 'farmgate.language'
const isLanguage = (text: string): text is Language => Object.hasOwn(languages, text)

/** The language chosen on this device, else the first known one of the browser. */
function firstLanguage(): Language {
  const wanted = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase())
  return [kept('device', name) ?? '', ...wanted].find(isLanguage) ?? 'en'
}

export const language = signal<Language>(firstLanguage())
export const texts = computed(() => languages[language.value])

/** The texts of a view that loads later, in the language of the page; they load with it. */
export const spoken = <Text>(texts: Readonly<Record<Language, Text>>): ReadonlySignal<Text> =>
  computed(() => texts[language.value])

/** The texts for a value; one of a later game or server, which is unknown here, is shown as it is. */
export const textOf = (texts: Readonly<Record<string, string>>, value: string): string =>
  Object.hasOwn(texts, value) ? (texts[value] ?? value) : value

export function chooseLanguage(chosen: Language): void {
  language.value = chosen
  keep('device', name, chosen)
}

effect(() => {
  document.documentElement.lang = tags[language.value]
})

const isChinese = () => language.value === 'zh'
const tag = () => (isChinese() ? tags.zh : (regional ?? tags.en))
/** Hours of two digits where a day has 24 of them: 06:05, and 6:05 AM. */
const clock = computed(() => {
  const { hourCycle } = new Intl.DateTimeFormat(tag(), { hour: 'numeric' }).resolvedOptions()
  return { hour: hourCycle === 'h23' ? '2-digit' : 'numeric', minute: '2-digit' } as const
})
/** The styles of Intl write Chinese dates in two forms, one alone and another in a range. */
const dateAndTime = () =>
  isChinese()
    ? ({ year: 'numeric', month: 'numeric', day: 'numeric', ...clock.value } as const)
    : ({ dateStyle: 'medium', timeStyle: 'short' } as const)
const numbersAs = (options?: Intl.NumberFormatOptions) =>
  computed(() => new Intl.NumberFormat(tag(), options))
const timesAs = (options: () => Intl.DateTimeFormatOptions) =>
  computed(() => new Intl.DateTimeFormat(tag(), options()))

/** Each is made when it is first used, because one takes up to a millisecond, and the farm needs two of them. */
const format = {
  number: numbersAs(),
  rounded: numbersAs({ maximumSignificantDigits: 3 }),
  time: timesAs(() => clock.value),
  dateTime: timesAs(dateAndTime),
  date: timesAs(() => ({ month: 'numeric', day: 'numeric' })),
  day: timesAs(() => ({ weekday: 'long', month: 'long', day: 'numeric' })),
  gameClock: timesAs(() => ({ ...clock.value, timeZone: 'UTC' })),
  minutes: numbersAs({ style: 'unit', unit: 'minute', unitDisplay: 'short' }),
  hours: numbersAs({ style: 'unit', unit: 'hour', unitDisplay: 'short' }),
  percent: numbersAs({ style: 'percent' }),
  megabytes: numbersAs({ style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 }),
  list: computed(() => new Intl.ListFormat(tag())),
  weekdays: computed(() =>
    (['short', 'long'] as const).map(
      (weekday) => new Intl.DateTimeFormat(tag(), { weekday, timeZone: 'UTC' }),
    ),
  ),
}

export const number = (n: number): string => format.number.value.format(n)
/** For measured values: three digits are enough. */
export const rounded = (n: number): string => format.rounded.value.format(n)
/** @param at milliseconds since 1970, or ISO 8601 */
export const time = (at: number | string): string => format.time.value.format(new Date(at))
export const dateTime = (at: number | string): string => format.dateTime.value.format(new Date(at))
/** In another time zone; in that of the browser where it does not know the zone. */
export function dateTimeIn(at: string, timeZone: string): string {
  try {
    return new Intl.DateTimeFormat(tag(), { ...dateAndTime(), timeZone }).format(new Date(at))
  } catch {
    return dateTime(at)
  }
}
/** From one time to another; the common part is written once. @param from milliseconds since 1970 */
export const dateTimes = (from: number, to: number): string =>
  format.dateTime.value.formatRange(new Date(from), new Date(to))
/** A time of today alone, any other with its date. @param now milliseconds since 1970 */
export const moment = (at: number | string, now = Date.now()): string =>
  new Date(at).toDateString() === new Date(now).toDateString() ? time(at) : dateTime(at)
export const date = (at: number): string => format.date.value.format(new Date(at))
export const day = (at: number): string => format.day.value.format(new Date(at))

/** The time of day in the game. @param timeOfDay HHMM: 2600 is 2 AM of the next day */
export const gameClock = (timeOfDay: number): string =>
  format.gameClock.value.format(Date.UTC(2000, 0, 1, Math.floor(timeOfDay / 100) % 24, timeOfDay % 100))

/** @example duration(3 * 3600_000) // "3 hr" */
export function duration(milliseconds: number): string {
  const all = Math.max(0, Math.floor(milliseconds / 60_000))
  const hours = Math.floor(all / 60)
  const [ofHours, ofMinutes] = [format.hours.value, format.minutes.value]
  if (hours === 0) return ofMinutes.format(all)
  if (all % 60 === 0) return ofHours.format(hours)
  return [ofHours.format(hours), ofMinutes.format(all % 60)].join(language.value === 'zh' ? '' : ' ')
}

/** @param size in bytes. @example bytes(1_843_221) // "1.8 MB" */
export const bytes = (size: number): string => format.megabytes.value.format(Math.max(0.1, size / 1e6))

/** @example numbers([10, 5, 1]) // "10, 5, and 1" */
export const numbers = (all: readonly number[]): string => format.list.value.format(all.map(number))

/** @param part from 0 to 1 */
export const percent = (part: number): string => format.percent.value.format(part)

/** Monday to Sunday, each short and in full. */
export const weekdays = (): (readonly string[])[] =>
  Array.from({ length: 7 }, (_, day) => {
    // The first of January 2024 was a Monday.
    const at = Date.UTC(2024, 0, 1 + day)
    return format.weekdays.value.map((names) => names.format(at))
  })
