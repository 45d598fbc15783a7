/** In the demo, one of the players says the lines typed into its terminal, so that a bot can be tried. */
import { spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { SimulatedFarm } from '../../bridges/simulated/simulated-farm.ts'
import { harmful } from '../../lib/harmless-text.ts'

/** Whether lines can be typed here. The system stops a background process that reads from its terminal. */
export function canType(): boolean {
  if (!process.stdin.isTTY || process.platform === 'win32') return true
  const { stdout } = spawnSync('ps', ['-o', 'pgid=,tpgid=', '-p', String(process.pid)], { encoding: 'utf8' })
  const [group, inFront] = String(stdout).trim().split(/\s+/)
  return group !== '' && group === inFront
}

/**
 * Says each line of standard input as a player who is online, and prints whose line it was. Also prints what bots and
 * other clients of the API say in the game.
 */
export function talkInTerminal({ players, controls }: SimulatedFarm): void {
  controls.onRelayed(({ author, message }) => {
    process.stdout.write(`${`(Web) ${author}: ${message}`.replaceAll(harmful, '')}\n`)
  })
  if (!canType()) return
  const lines = createInterface({ input: process.stdin, terminal: false })
  // A closed terminal ends the lines, but not the farm.
  process.stdin.on('error', () => lines.close())
  lines.on('line', async (line) => {
    if (line.trim() === '') return
    const online = (await players()).players
    const speaker = online.find(({ id }) => controls.say(id, line))
    process.stdout.write(
      speaker === undefined
        ? 'No player is on the farm now. Try again in a minute.\n'
        : `${speaker.name}: ${line}\n`,
    )
  })
}
