/** Makes texts of a farm fit to be shown to strangers: without secrets, addresses and e-mails, and with tokens for names. */
import { createHmac } from 'node:crypto'
import { isIP } from 'node:net'
import { allForms, secretForms, withoutForms } from '../host/clean-text.ts'

export interface Hidden {
  /** Secrets, and other texts that no one else may know, such as invite codes. */
  readonly secrets: readonly string[]
  /** Host names that are known to be the farm's or its receivers'. One without a dot is a name inside a network of containers. */
  readonly hosts: readonly string[]
  /** Names of players and of people; empty where they stay. */
  readonly names: readonly string[]
  /** Makes the tokens; the same one gives a name the same token. */
  readonly tokenKey: string
}

const addresses = /\b(?:https?|wss?|ftp|tcp|s3):\/\/[^\s"'<>\\]+/gi
// Each begins only where a run of its characters does: a log can be made of one run, and would take minutes otherwise.
const mails = /(?<![^\s"'<>@:=,;])[^\s"'<>@:=,;]+@[^\s"'<>@:=,;]+\.[\p{L}\p{N}-]+/gu
const withColons = /(?<![0-9a-f.:])[0-9a-f]*:[0-9a-f]*:[0-9a-f.:]*/gi
const numeric = /\b\d{1,3}(?:\.\d{1,3}){3}\b/g
/** Named keys and sessions of any farm, secrets of webhooks, and what looks random: it may be a key of another program. */
const keys =
  /\b(?:f[gs]_[0-9a-f]+_[\w-]+|whsec_[\w+/=-]+)|(?<![\w+-])(?=[\w+-]*[a-z])(?=[\w+-]*[A-Z])(?=[\w+-]*\d)[\w+-]{32,}={0,2}/g
/** Of Steam: each is one person. */
const steamAccounts = /\b7656119\d{10}\b/g

/** @returns a function that cleans a text */
export function textForStrangers({ secrets, hosts, names, tokenKey }: Hidden): (text: string) => string {
  const hidden = secretForms(secrets)
  const known = wordsOf(allForms(hosts.filter((host) => host.includes('.'))))
  const people = wordsOf(allForms(names.filter((name) => name !== '')))
  const shownAs = new Map(names.flatMap((name) => allForms([name]).map((form) => [form.toLowerCase(), name])))
  const token = (name: string) =>
    `player-${createHmac('sha256', tokenKey).update(name).digest('hex').slice(0, 8)}`
  return (text) => {
    let clean = withoutForms(text, hidden)
      .replace(addresses, '<address>')
      .replace(mails, '<e-mail>')
      .replace(withColons, withoutAddress)
      .replace(numeric, '<address>')
      .replace(keys, '…')
    if (known !== undefined) clean = clean.replace(known, '<address>')
    if (people === undefined) return clean
    return clean
      .replace(steamAccounts, token)
      .replace(people, (found) => token(shownAs.get(found.toLowerCase()) ?? found))
  }
}

const withoutAddress = (found: string) => {
  const address = [found, found.replace(/[.:]$/, '')].find((one) => isIP(one) === 6 && one !== '::')
  return address === undefined ? found : `<address>${found.slice(address.length)}`
}

/**
 * One of the words, in any case, and not as a part of a longer one. They are grouped by their first characters, because a
 * farm has seen up to a thousand players.
 */
function wordsOf(words: readonly string[]): RegExp | undefined {
  if (words.length === 0) return undefined
  const groups = Map.groupBy(words, (word) => String.fromCodePoint(word.codePointAt(0) ?? 0))
  const anyOf = [...groups].map(
    ([first, group]) =>
      `${escaped(first)}(?:${group.map((word) => escaped(word.slice(first.length))).join('|')})`,
  )
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${anyOf.join('|')})(?![\\p{L}\\p{N}])`, 'giu')
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
