/** Runs one plan: a farm with its game, its edge, clients and holders of keys, on one clock (docs/testing.md). */
import { seededRandom } from '../../bridges/simulated/random.ts'
import { ChatClient } from './chat-client.ts'
import type { ObjectClass } from './durable-object.ts'
import { openEdge } from './edge.ts'
import { apiKey } from './farm.ts'
import { openGame } from './game.ts'
import { openHolders } from './holders.ts'
import { Broken, Model } from './model.ts'
import { Network } from './network.ts'
import { openOperator } from './operator.ts'
import { type Action, clients as clientCount, type Step } from './plan.ts'
import { Program, VirtualTime } from './virtual-time.ts'

/** Milliseconds in which everything is whole again after the last fault, and in which a line then reaches everyone. */
const wholeWithin = 120_000
const lineWithin = 10_000
/** A replay lasts longer than an hour, the rest of it in silence. */
const anHour = 3_660_000

export type Trace = (elapsed: number, actor: string, text: string) => void

interface Run {
  readonly seed: number
  readonly steps: readonly Step[]
  readonly farmObject: ObjectClass
  /** Called with what each actor does; left out where no one reads it. */
  readonly trace: Trace | undefined
  /** Called with the time that the globals must show. */
  readonly onTime: (time: VirtualTime) => void
}

type Perform = { readonly [Name in Action['do']]: (action: Extract<Action, { do: Name }>) => void }

/** @returns the promise that was broken; undefined when all were kept */
export async function simulate(run: Run): Promise<string | undefined> {
  let broken: unknown
  const onBroken = (error: unknown) => {
    if (Program.current?.isAlive !== false) broken ??= error
  }
  process.on('unhandledRejection', onBroken).on('uncaughtException', onBroken)
  try {
    const world = openWorld(run, onBroken)
    const pass = async (milliseconds: number) => {
      await world.time.pass(milliseconds, () => {
        world.look()
        return broken === undefined
      })
      if (broken !== undefined) throw broken
    }
    for (const { at, action } of run.steps) {
      await pass(at - world.time.elapsed)
      world.perform(action)
    }
    await pass(wholeWithin)
    world.endFaults()
    await pass(wholeWithin)
    world.sayLast()
    await pass(lineWithin)
    world.checkAll()
    await pass(lineWithin)
    world.checkAudited()
    if (run.trace !== undefined) {
      await pass(Math.max(0, anHour - world.time.elapsed))
      world.lookBack()
    }
    return undefined
  } catch (error) {
    return error instanceof Broken ? error.message : `${error instanceof Error ? error.stack : error}`
  } finally {
    process.off('unhandledRejection', onBroken).off('uncaughtException', onBroken)
  }
}

function openWorld({ seed, farmObject, trace, onTime }: Run, onBroken: (error: unknown) => void) {
  const random = (of: string) => seededRandom(`${of} ${seed}`)
  const time = new VirtualTime(random('time').fraction)
  onTime(time)
  const told = (actor: string) => (text: string) => trace?.(Math.floor(time.elapsed), actor, text)
  const [toldGame, toldEdge, toldLink] = [told('game'), told('edge'), told('link')]
  const model = new Model(() => time.elapsed)
  const network = new Network(time, random('network'))
  const game = openGame({ time, random: random('game'), model, onBroken })
  const edge = openEdge({ time, network, farmObject, onError: onBroken })
  const operator = openOperator({
    time,
    network,
    game,
    model,
    random,
    trace: told('farm'),
    tell: told('operator'),
    onBroken,
  })
  const holders = openHolders({ time, network, model, trace: told('holder'), onBroken })
  const clients = Array.from(
    { length: clientCount },
    (_, at) =>
      new ChatClient({
        name: `client-${at}`,
        usesSince: at % 2 === 0,
        place: at < clientCount / 2 ? 'edge' : 'farm',
        key: apiKey,
        time,
        random: random(`client ${at}`),
        network,
        model,
        trace: told('client'),
        onBroken,
      }),
  )
  const ofLink = () => network.between('farm', 'edge')
  let lines = 0
  const line = () => {
    lines += 1
    if (game.say(`line ${lines}`)) toldGame(`line ${lines}`)
  }
  let opening: string | undefined
  const perform: Perform = {
    line,
    burst({ lines: count }) {
      for (let at = 0; at < count; at += 1) line()
    },
    send: ({ client }) => clients[client]?.say(),
    move: ({ client }) => clients[client]?.move(),
    hibernate: () => toldEdge(edge.hibernate() ? 'hibernates' : 'is busy'),
    crashEdge() {
      toldEdge('loses its memory and its connections')
      model.troubled()
      edge.crash()
    },
    trouble({ kind }) {
      toldGame(kind)
      game.trouble(kind)
    },
    recover() {
      toldGame('recovers')
      game.recover()
    },
    lie({ how }) {
      toldGame(`lies about the next write: ${how}`)
      game.lieNext(how)
    },
    cutLink({ how }) {
      toldLink(`is cut: ${how}`)
      model.troubled()
      for (const one of ofLink()) network.cut(one, how)
    },
    stallLink({ milliseconds }) {
      toldLink(`stalls for ${milliseconds} ms`)
      model.troubled()
      for (const one of ofLink()) one.stalledUntil = time.elapsed + milliseconds
    },
    cutClient({ client, how }) {
      const cut = clients[client]
      if (cut === undefined) return
      told('client')(`${cut.name} is cut: ${how}`)
      for (const one of network.of(cut.program)) network.cut(one, how)
    },
    kill: ({ milliseconds }) => operator.kill(milliseconds),
    stop: ({ milliseconds }) => operator.stop(milliseconds),
    setClock: ({ milliseconds }) => operator.setClock(milliseconds),
    write: ({ place }) => holders.write(place),
    makeKey: ({ place }) => holders.makeKey(place),
    useKey: ({ place, key }) => holders.useKey(place, key),
    revokeKey: ({ place, key }) => holders.revokeKey(place, key),
  }
  return {
    time,
    // The compiler does not see that the function has the type of the action.
    perform: (action: Action) => perform[action.do](action as never),
    /** After each moment. */
    look() {
      if (opening !== operator.opening) toldLink(operator.opening === undefined ? 'is lost' : 'opens')
      opening = operator.opening
      model.linked(opening)
    },
    endFaults() {
      told('operator')('ends all faults')
      game.recover()
      network.heal()
    },
    sayLast() {
      if (opening === undefined) throw new Broken('the link is not open two minutes after the last fault')
      line()
    },
    checkAll() {
      for (const client of clients)
        if (client.next !== model.newest + 1)
          throw new Broken(`${client.name} has not got the line that was said after all faults`)
      holders.readAudit()
      holders.useKeys()
    },
    checkAudited() {
      if (!model.isAudited) throw new Broken('the audit was not answered after all faults')
    },
    lookBack: () => told('operator')('looks back on an hour'),
  }
}
