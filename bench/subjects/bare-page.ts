/** For comparison: a page of one small script that shows one value of one JSON. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveSubject } from '../measure.ts'

const page = `<!doctype html>
<html lang="en">
<title>bare</title>
<section class="scene"><p class="date"></p></section>
<script type="module" src="bare.js"></script>
`
const script = `const { year } = await (await fetch('status')).json()
document.querySelector('.date').textContent = 'year ' + year
`
const files: Readonly<Record<string, readonly [string, string]>> = {
  '/': ['text/html', page],
  '/bare.js': ['text/javascript', script],
  '/status': ['application/json', '{"year":1}'],
}
const server = createServer(({ url = '' }, response) => {
  const [type, text] = files[url] ?? ['text/plain', '']
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': text.length })
  response.end(text)
})
server.listen(0, '127.0.0.1', () => serveSubject({ port: () => (server.address() as AddressInfo).port }))
