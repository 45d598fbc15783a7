/** The operator, who kills, stops and starts the farm's process, and sets its clock. */
import type { DatabaseSync } from 'node:sqlite'
import { type FarmParts, newDisk, startFarm } from './farm.ts'
import type { Model } from './model.ts'

interface OperatorParts extends Pick<FarmParts, 'time' | 'network' | 'game' | 'trace'> {
  readonly model: Model
  /** Makes the random numbers of one process. */
  readonly random: (of: string) => FarmParts['random']
  readonly tell: (text: string) => void
  readonly onBroken: (error: unknown) => void
}

const numbersOn = (disk: DatabaseSync) => {
  const read = disk.prepare('SELECT seq FROM chat')
  return () => new Set(read.all().map(({ seq }) => Number(seq)))
}

export function openOperator({ model, random, tell, onBroken, ...parts }: OperatorParts) {
  const { time } = parts
  const disk = newDisk()
  const kept = numbersOn(disk)
  let starts = 0
  let ahead = 0
  let isDown = false
  const start = () => {
    starts += 1
    isDown = false
    const run = `process-${starts}`
    const farm = startFarm({ ...parts, random: random(run), disk, run })
    farm.program.ahead = ahead
    farm.opened
      .then(({ chat }) =>
        chat.hear((event) => {
          try {
            if (event.type === 'chat') model.numbered(event.seq, event.message)
          } catch (error) {
            onBroken(error)
          }
        }),
      )
      .catch(onBroken)
    return farm
  }
  let farm = start()
  const startAgain = (milliseconds: number) =>
    time.after(milliseconds, () => {
      tell('starts the farm')
      farm = start()
    })
  return {
    /** Which opening of the link it is, as the farm sees it; undefined while it is not open. */
    get opening(): string | undefined {
      const link = farm.parts?.link
      return link?.isOpen === true ? `${starts} ${link.openings}` : undefined
    },
    /** The process ends at once, and starts again after so many milliseconds. */
    kill(milliseconds: number) {
      if (isDown) return
      isDown = true
      tell('kills the farm')
      model.troubled()
      farm.program.end()
      model.ended(kept(), true)
      startAgain(milliseconds)
    },
    /** The process ends as after SIGTERM. */
    stop(milliseconds: number) {
      const { parts: open, program } = farm
      if (isDown || open === undefined) return
      isDown = true
      tell('stops the farm')
      model.troubled()
      program
        .run(() => open.stop())
        .then(() => {
          tell('has stopped the farm')
          model.ended(kept(), false)
          startAgain(milliseconds)
        })
        .catch(onBroken)
    },
    setClock(milliseconds: number) {
      tell(`sets the clock of the farm ${milliseconds} ms ahead`)
      ahead = milliseconds
      farm.program.ahead = ahead
    },
  }
}
