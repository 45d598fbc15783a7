/** `farmgate serve` as a process that can be killed, and restarted at the same port. */
import { randomBytes } from 'node:crypto'
import { unusedPort } from '../port-of.ts'
import { eventually } from '../wait.ts'
import { newFolder, start, type Variables } from './farmgate.ts'

export async function restartable() {
  const port = await unusedPort()
  const key = randomBytes(32).toString('base64')
  const url = `http://127.0.0.1:${port}`
  const DATA_DIR = newFolder()
  const env: Variables = {
    API_KEY: key,
    API_HOST: '127.0.0.1',
    API_PORT: String(port),
    LOG_LEVEL: 'error',
    DATA_DIR,
  }
  const launch = async () => {
    const server = start(['serve'], env)
    await eventually(async () => (await fetch(`${url}/health`)).ok)
    return server
  }
  let running = await launch()
  return {
    variables: { FARMGATE_URL: url, FARMGATE_KEY: key },
    async kill() {
      running.child.kill('SIGKILL')
      await running.finished
    },
    async restart() {
      running = await launch()
    },
  }
}
