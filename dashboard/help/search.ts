/** The search of the help: finds the sections that have all words, in the index that `pages.ts` has made. */
import type { Section } from './pages.ts'

/** Sections that are shown. */
const most = 40

const form = document.querySelector('form')
const input = document.querySelector<HTMLInputElement>('[type=search]')
const results = document.querySelector<HTMLElement>('#results')

let index: Promise<readonly Section[]> | undefined

/** @returns the sections that have all words, those first whose heading has them */
function found(sections: readonly Section[], words: readonly string[]): readonly Section[] {
  const has = (text: string) => words.every((word) => text.toLowerCase().includes(word))
  const all = sections.filter(({ title, heading, text }) => has(`${title} ${heading} ${text}`))
  return [...all.filter(({ heading }) => has(heading)), ...all.filter(({ heading }) => !has(heading))]
}

/** The text around the first of the words, which is marked. */
function around(text: string, words: readonly string[]): readonly (string | Node)[] {
  const [first = 0, word = ''] =
    words
      .map((one) => [text.toLowerCase().indexOf(one), one] as const)
      .filter(([at]) => at >= 0)
      .sort(([one], [other]) => one - other)[0] ?? []
  const mark = document.createElement('mark')
  mark.append(text.slice(first, first + word.length))
  const from = Math.max(0, first - 80)
  return [
    from > 0 ? '…' : '',
    text.slice(from, first),
    mark,
    text.slice(first + word.length, first + 160),
    first + 160 < text.length ? '…' : '',
  ]
}

function item({ address, title, heading, text }: Section, words: readonly string[]): Node {
  const link = document.createElement('a')
  link.href = address
  link.append(heading === title ? title : `${title}: ${heading}`)
  const said = document.createElement('p')
  said.append(...around(text, words))
  const made = document.createElement('li')
  made.append(link, said)
  return made
}

const addressOf = (q: string) =>
  `./?${new URLSearchParams({ q, lang: document.documentElement.lang.slice(0, 2) })}`

async function show(q: string, into: HTMLElement) {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean)
  const { index: address = '', nothing = '' } = into.dataset
  index ??= fetch(address).then((response) => response.json())
  const sections = words.length === 0 ? [] : found(await index, words).slice(0, most)
  if (input?.value !== q) return
  const list = document.createElement('ul')
  list.append(...sections.map((one) => item(one, words)))
  into.replaceChildren(...(words.length > 0 && sections.length === 0 ? [nothing] : [list]))
}

if (form !== null && input !== null) {
  // The policy of the page allows no form to be sent.
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (results === null) location.assign(addressOf(input.value))
  })
  if (results !== null) {
    input.value = new URLSearchParams(location.search).get('q') ?? ''
    void show(input.value, results)
    input.addEventListener('input', () => {
      history.replaceState(undefined, '', addressOf(input.value))
      void show(input.value, results)
    })
  }
}
