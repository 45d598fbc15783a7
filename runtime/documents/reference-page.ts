/** The page at `/docs`: swagger-ui on our OpenAPI document, and a script that makes it show int64 ids exactly. */

/** @param folder where the page's own files are, seen from the address of the page: `docs/`, or nothing */
export const referencePage = (folder: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>farmgate control API</title>
<link rel="icon" type="image/png" href="${folder}favicon-32x32.png">
<link rel="stylesheet" href="${folder}swagger-ui.css">
</head>
<body>
<main id="reference"></main>
<script src="${folder}swagger-ui-bundle.js"></script>
<script src="${folder}start.js"></script>
</body>
</html>
`

/**
 * swagger-ui parses JSON with numbers that are doubles and prints it again: an int64 id would lose its last digits, in
 * examples and in answers. So this script turns integers that a double cannot hold into texts between two marks before
 * swagger-ui parses them, and back into digits where it prints code. The example of a parameter fills its input field,
 * so that it becomes a text without marks.
 */
export const referenceScript = String.raw`const mark = '\u2063'
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

SwaggerUIBundle({
  url: new URL('../openapi.json', document.currentScript.src).href,
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  tryItOutEnabled: true,
  validatorUrl: null,
  responseInterceptor(response) {
    if (response.headers['content-type'] === 'application/json')
      response.text = response.data = withMarks(response.text)
    return response
  },
  plugins: [() => ({ wrapComponents: { HighlightCode: exactCode } })],
})
`
