/**
 * The effects and answers of the game's writes. Failures of business are 200 with `success:false`; only `/newgame` and
 * `/reload` use statuses.
 */
import { double } from './dotnet-json.ts'
import type { Farmhand, World } from './world.ts'

interface Written {
  readonly status: number
  readonly body: unknown
}

const ok = (body: unknown): Written => ({ status: 200, body })
const refused = (error: string, more: object = {}, status = 200): Written => ({
  status,
  body: { success: false, ...more, error },
})
const whole = (text: string | null) => (text !== null && /^[-+]?\d+$/.test(text) ? Number(text) : undefined)

interface Named {
  readonly label: string
  readonly farmhand: Farmhand | undefined
}

/** Name in any case, first match; or id. Answers a sentence when neither or both are given. */
function named(world: World, query: URLSearchParams): Named | string {
  const name = query.get('name') ?? ''
  const id = query.get('playerId') ?? ''
  if (name === '' && id === '') return "Missing 'name' or 'playerId' query parameter"
  if (name !== '' && id !== '') return "Provide either 'name' or 'playerId', not both"
  if (name !== '') {
    const lower = name.toLowerCase()
    return { label: `'${name}'`, farmhand: world.farmhands.find((one) => one.name.toLowerCase() === lower) }
  }
  if (whole(id) === undefined) return `Invalid 'playerId' value: '${id}'`
  return { label: `id=${id}`, farmhand: world.farmhands.find((one) => one.id === BigInt(id)) }
}

function deleteFarmhand(world: World, query: URLSearchParams): Written {
  const who = named(world, query)
  if (typeof who === 'string') return refused(who)
  if (!world.isLoaded) return refused('Server not ready')
  if (world.isSaving) return refused('Cannot delete farmhand while save is in progress')
  const { farmhand, label } = who
  if (farmhand === undefined) return refused(`Farmhand ${label} not found`)
  if (farmhand.isOnline) return refused(`Cannot delete farmhand ${label} - currently online`)
  world.farmhands = world.farmhands.filter((one) => one !== farmhand)
  return ok({ success: true, message: `Farmhand '${farmhand.name}' deleted successfully` })
}

function grantAdmin(world: World, query: URLSearchParams): Written {
  const none = { playerId: 0 }
  const who = named(world, query)
  if (typeof who === 'string') return refused(who, none)
  if (!world.isLoaded) return refused('Server not ready', none)
  const { farmhand, label } = who
  if (farmhand === undefined) return refused(`Player ${label} not found`, none)
  farmhand.isAdmin = true
  const { id, name } = farmhand
  return ok({ success: true, playerId: id, playerName: name, message: `Admin role granted to '${name}'` })
}

function setRendering(world: World, query: URLSearchParams): Written {
  const fps = whole(query.get('fps'))
  if (fps === undefined || fps < 0)
    return refused(
      "Missing or invalid 'fps' parameter (expected non-negative integer; 0 disables rendering)",
      { fps: world.fps, previousFps: 0 },
    )
  const previousFps = world.fps
  world.fps = fps
  const message = fps === 0 ? 'Rendering disabled' : `Rendering enabled at ${fps} fps`
  return ok({ success: true, fps, previousFps, message })
}

function setTime(world: World, query: URLSearchParams): Written {
  const more = { timeOfDay: world.timeOfDay }
  const text = query.get('value')
  if (text === null) return refused("Missing 'value' query parameter (e.g., 1200 for noon)", more)
  const value = whole(text)
  if (value === undefined)
    return refused(`Invalid value '${text}' (expected integer like 1200 for noon)`, more)
  if (value < 600 || value > 2600) return refused(`Value ${value} out of range (600-2600)`, more)
  if (!world.isLoaded) return refused('Server not ready', more)
  world.timeOfDay = value
  if (value === 2600) world.endDay()
  return ok({ success: true, timeOfDay: value, message: `Time set to ${value}` })
}

function setClockSpeed(world: World, query: URLSearchParams): Written {
  const none = { multiplier: double(0), effectiveMs: 0 }
  const text = query.get('multiplier')
  if (text === null)
    return refused("Missing 'multiplier' query parameter (e.g., 10 for 10x speed, 1 to restore)", none)
  const multiplier = Number(text)
  if (Number.isNaN(multiplier) && text !== 'NaN')
    return refused(`Invalid multiplier '${text}' (expected a number like 10, 0.5, or 1)`, none)
  if (multiplier <= 0) return refused('Multiplier must be greater than 0', none)
  world.effectiveMs = Math.max(1, Math.trunc(700 / multiplier) || 1)
  return ok({ success: true, multiplier: double(multiplier), effectiveMs: world.effectiveMs })
}

function setLoginTimeout(world: World, query: URLSearchParams): Written {
  const previousTimeoutSeconds = world.password.timeoutSeconds
  const seconds = whole(query.get('value'))
  if (!world.password.enabled)
    return refused('Password protection is not enabled', { timeoutSeconds: 0, previousTimeoutSeconds: 0 })
  if (seconds === undefined || seconds < 0)
    return refused("Missing or invalid 'value' parameter (expected non-negative integer)", {
      timeoutSeconds: previousTimeoutSeconds,
      previousTimeoutSeconds: 0,
    })
  world.password.timeoutSeconds = seconds
  return ok({ success: true, timeoutSeconds: seconds, previousTimeoutSeconds })
}

const connected = (world: World) => world.farmhands.filter(({ isOnline }) => isOnline).length

function newGame(world: World, _query: URLSearchParams, body: string): Written {
  const clients = connected(world)
  if (clients > 0)
    return refused(
      `Cannot create new game while ${clients} client(s) are connected. Disconnect all players first.`,
      {},
      409,
    )
  let options: { farmName?: string; farmType?: unknown; maxPlayers?: number } = {}
  try {
    options = (JSON.parse(body) as typeof options) ?? {}
  } catch {
    // The real one makes a world of defaults out of a malformed body.
  }
  world.newGames.push(options)
  world.maxPlayers = options.maxPlayers ?? world.maxPlayers
  world.onNewGame(options)
  return ok({ success: true, message: `New game created with farm type ${options.farmType ?? 0}` })
}

function reload(world: World): Written {
  const clients = connected(world)
  if (clients > 0)
    return refused(
      `Cannot reload while ${clients} client(s) are connected. Disconnect all players first.`,
      {},
      409,
    )
  world.reloads += 1
  world.onReload()
  return ok({ success: true, message: 'World reloaded' })
}

type Write = (world: World, query: URLSearchParams, body: string) => Written

/** Writes by method and path. */
export const writes: Readonly<Record<string, Write>> = {
  'DELETE /farmhands': deleteFarmhand,
  'POST /roles/admin': grantAdmin,
  'POST /rendering': setRendering,
  'POST /time': setTime,
  'POST /clock-speed': setClockSpeed,
  'POST /auth/timeout': setLoginTimeout,
  'POST /newgame': newGame,
  'POST /reload': reload,
}
