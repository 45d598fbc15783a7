/** `npm run images`: builds both images and prints their sizes, in all and without the base. Needs root and a Debian. */
import { fileURLToPath } from 'node:url'
import { buildImages, cacheFolder } from './build.ts'
import { engineProblem, openEngine } from './engine.ts'

const say = (line: string) => void process.stdout.write(`${line}\n`)
const problem = engineProblem()
if (problem !== undefined) {
  process.stderr.write(`Images cannot be built: ${problem}.\n`)
  process.exit(1)
}
const images = await buildImages(fileURLToPath(new URL('../..', import.meta.url)), say)
const run = openEngine({ folder: cacheFolder })
const sizeOf = async (image: string) =>
  Number(await run('podman', 'image', 'inspect', '--format={{.Size}}', image))
const base = await sizeOf('docker.io/library/node:24-slim')
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
say(`The base: ${megabytes(base)}`)
for (const [service, image] of Object.entries(images)) {
  const size = await sizeOf(image)
  say(`${service} ${image.slice(0, 12)}: ${megabytes(size)}, ${megabytes(size - base)} without the base`)
}
say(`They are kept in ${cacheFolder}, which may be deleted.`)
