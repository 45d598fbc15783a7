/** The script of the page at `/docs`: swagger-ui on our OpenAPI document, with int64 ids exact. */

/**
 * swagger-ui parses JSON with numbers that are doubles and prints it again: an int64 id would lose its last digits, in
 * examples and in answers. So this script turns integers that a double cannot hold into texts between two marks before
 * swagger-ui parses them, and back into digits where it prints code. The example of a parameter fills its input field,
 * so it becomes a text without marks.
 *
 * swagger-ui reads the whole document again each time an operation is opened, which takes one to two seconds. All
 * references of farmgate's document are local, so `resolveSubtree` resolves them in a millisecond.
 */
export const referenceScript = String.raw`const addressOfDocument = new URL('../openapi.json', document.currentScript.src).href
// The document names the address that the server takes for its own; the page uses the address that it was loaded
// from.
const ownServer = '"servers":' + JSON.stringify([{ url: new URL('.', addressOfDocument).href.replace(/\/$/, '') }])
const dark = matchMedia('(prefers-color-scheme: dark)')
const followDark = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
followDark()
dark.addEventListener('change', followDark)

const mark = '\u2063'
const marked = new RegExp('"' + mark + '(-?\\d+)' + mark + '"', 'g')
const textOrInteger = /("example":)?("(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE]))/g

const withMarks = (json) =>
  json.replace(textOrInteger, (all, example, token) => {
    if (token.startsWith('"') || Number.isSafeInteger(Number(token))) return all
    return example ? example + '"' + token + '"' : '"' + mark + token + mark + '"'
  })

const exactCode = (Code, system) => (props) => {
  const { children } = props
  const code = typeof children === 'string' ? children.replace(marked, '$1') : children
  return system.React.createElement(Code, props, code)
}

const resolveSubtree = async (openapi, path) => {
  const at = (names) => names.reduce((place, name) => place?.[name], openapi)
  const withoutReferences = (place, within) => {
    if (Array.isArray(place)) return place.map((item) => withoutReferences(item, within))
    if (typeof place !== 'object' || place === null) return place
    const { $ref: reference } = place
    if (reference === undefined)
      return Object.fromEntries(Object.entries(place).map(([name, value]) => [name, withoutReferences(value, within)]))
    if (within.includes(reference)) return place
    const referred = withoutReferences(at(reference.slice(2).split('/')), [...within, reference])
    return { ...referred, $$ref: addressOfDocument + reference }
  }
  return { spec: withoutReferences(at(path), []), errors: [] }
}

SwaggerUIBundle({
  url: addressOfDocument,
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  tryItOutEnabled: true,
  validatorUrl: null,
  responseInterceptor(response) {
    if (response.headers['content-type'] === 'application/json')
      response.text = response.data = withMarks(response.text.replace(/"servers":\[[^\]]*\]/, () => ownServer))
    return response
  },
  plugins: [() => ({ fn: { resolveSubtree }, wrapComponents: { HighlightCode: exactCode } })],
})
`
