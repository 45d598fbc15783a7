/**
 * The state of the stand-in game server: tests change it, and its HTTP API and chat show it.
 * As in JunimoServer, reads are answered from an immutable snapshot, taken every `snapshotEvery` milliseconds and after
 * each change, but not while the day ends and is saved.
 */
import { dotnetTime, double } from './dotnet-json.ts'

export interface Farmhand {
  id: bigint
  name: string
  isCustomized: boolean
  isOnline: boolean
  isAdmin: boolean
}

/** Versions before September 2026, since then, and the newest, of November 2026. */
export type Generation = 'before' | 'since' | 'newest'

/** What a new world is made of. */
export interface NewWorld {
  readonly farmName?: string
}

export type Snapshot = ReturnType<World['capture']>

const noOwner = 0n
const seasons = ['spring', 'summer', 'fall', 'winter'] as const

export class World {
  farmName = 'Junimo'
  maxPlayers = 10
  day = 5
  season: (typeof seasons)[number] = 'spring'
  year = 1
  timeOfDay = 900
  isFestival = false
  /** The world is paused although players are connected. */
  isHeld = false
  /** A world is loaded and hosted. */
  isLoaded = true
  /** A day turns: snapshots stop and the game thread accepts no work. */
  isTurning = false
  isSaving = false
  /** The game's own loop stands still. */
  isFrozen = false
  fps = 0
  effectiveMs = 700
  strategy = 'CabinStack'
  allowCabinRelocation = true
  /** A change of the strategy that was started in the console. */
  migration: { toStrategy: string; placedCount: number; remainingCount: number } | undefined
  /** Whether Steam's relay accepts players, of the newest generation. */
  isRelayReady = true
  inviteBase: string | undefined = 'ABC123'
  password = { enabled: false, timeoutSeconds: 0, maxAttempts: 0 }
  /** Added to the clock that the game shows. */
  clockOffset = 0
  farmhands: Farmhand[] = []
  /** Lines from outside that players read in the game, in order. */
  readonly heard: string[] = []
  newGames: unknown[] = []
  reloads = 0
  /** Called when the game reloads, for example to read its save. */
  onReload = () => {}
  /** Called for `/newgame` in place of the world without a disk. */
  onNewGame = ({ farmName = 'Junimo' }: NewWorld) => {
    this.farmName = farmName
    this.farmhands = []
    this.day = 1
  }
  readonly startedAt = Date.now()
  /** Work that waits for the game thread. */
  pendingActions = 0
  private lastSlot = 7_000_000_000_000_000_000n
  private version = 0
  private takenAt = 0
  private shown: Snapshot | undefined
  private readonly hearers = new Set<(playerName: string, message: string) => void>()
  /** The generations differ in the members of a status. */
  readonly generation: Generation

  constructor(generation: Generation = 'before') {
    this.generation = generation
    this.publish()
  }

  now(): number {
    return Date.now() + this.clockOffset
  }

  get snapshot(): Snapshot {
    return this.shown ?? this.capture()
  }

  /** Milliseconds since the snapshot was taken, by the game's clock. */
  get snapshotAge(): number {
    return this.now() - this.takenAt
  }

  publish(): void {
    if (this.isTurning || this.isFrozen) return
    this.keepAFreeSlot()
    this.version += 1
    this.takenAt = this.now()
    this.shown = this.capture()
  }

  join(name: string, id: bigint): Farmhand {
    const known = this.farmhands.find((farmhand) => farmhand.id === id)
    const farmhand = known ?? this.addFarmhand(name, id)
    farmhand.isOnline = true
    this.publish()
    return farmhand
  }

  /** The night: nothing of it is visible until the morning. */
  endDay(): void {
    this.publish()
    this.isTurning = true
    setTimeout(() => {
      this.isTurning = false
      this.timeOfDay = 600
      this.day += 1
      if (this.day > 28) {
        this.day = 1
        const next = seasons[(seasons.indexOf(this.season) + 1) % seasons.length] ?? 'spring'
        if (next === 'spring') this.year += 1
        this.season = next
      }
      this.publish()
    }, 50)
  }

  private keepAFreeSlot(): void {
    if (this.farmhands.some(({ isCustomized }) => !isCustomized)) return
    this.lastSlot += 1n
    this.farmhands.push({ id: this.lastSlot, name: '', isCustomized: false, isOnline: false, isAdmin: false })
  }

  leave(id: bigint): void {
    for (const farmhand of this.farmhands) if (farmhand.id === id) farmhand.isOnline = false
    this.publish()
  }

  addFarmhand(name: string, id: bigint): Farmhand {
    const farmhand = { id, name, isCustomized: name !== '', isOnline: false, isAdmin: false }
    this.farmhands.push(farmhand)
    this.publish()
    return farmhand
  }

  /** A player writes in the game. */
  say(playerName: string, message: string): void {
    for (const hear of this.hearers) hear(playerName, message)
  }

  onSaid(hear: (playerName: string, message: string) => void): () => void {
    this.hearers.add(hear)
    return () => this.hearers.delete(hear)
  }

  private get connected(): readonly Farmhand[] {
    return this.farmhands.filter(({ isOnline }) => isOnline)
  }

  private capture() {
    const { version } = this
    return {
      status: this.captureStatus(version),
      players: {
        players: this.connected.map(({ id, name }) => ({ id, name: name || 'Unknown', isOnline: true })),
        version,
      },
      farmhands: {
        farmhands: this.isLoaded
          ? this.farmhands.map(({ id, name, isCustomized }) => ({ id, name, isCustomized }))
          : [],
        version,
      },
      cabins: this.captureCabins(),
    }
  }

  private captureStatus(version: number) {
    const on = this.isLoaded
    const code = on && this.inviteBase !== undefined ? this.inviteBase : undefined
    const before = this.generation === 'before'
    const newest = this.generation === 'newest'
    return {
      playerCount: this.connected.length,
      maxPlayers: on ? this.maxPlayers : 4,
      ...(newest
        ? { inviteCode: code === undefined ? null : `S${code}` }
        : { steamInviteCode: code && `S${code}` }),
      gogInviteCode: before ? code && `G${code}` : undefined,
      serverVersion: before ? '1.4.1' : '1.5.0',
      gameVersion: '1.6.15',
      isOnline: on,
      isReady: on && !this.isFestival,
      dayTransitionComplete: on,
      lastUpdated: dotnetTime(this.takenAt),
      farmName: on ? this.farmName : '',
      day: on ? this.day : 0,
      season: on ? this.season : '',
      year: on ? this.year : 0,
      timeOfDay: on ? this.timeOfDay : 0,
      farmTypeKey: on ? 'Standard' : '',
      isPaused: on && (this.isHeld || this.connected.length === 0),
      version,
      ...(!before && {
        serverName: 'Clover',
        startedAtUtc: dotnetTime(this.startedAt),
        tps: double(60),
        steamRelayReady: newest ? this.isRelayReady : true,
        ...(newest
          ? {
              galaxyLobbyState: 'connected',
              steamSessionState: 'connected',
              connectionStatusCode:
                code === undefined ? 'starting' : this.isRelayReady ? 'ready' : 'steamRelayPending',
            }
          : { galaxyLobby: null, steamSession: 'connected' }),
        authReadiness: 'ok',
      }),
    }
  }

  private captureCabins() {
    const cabins = this.farmhands.map(({ id, name, isCustomized }) => ({
      tileX: -20,
      tileY: -20,
      isHidden: true,
      type: 'CabinStack',
      ownerId: isCustomized ? id : noOwner,
      ownerName: name,
      isAssigned: isCustomized,
    }))
    const assignedCount = cabins.filter(({ isAssigned }) => isAssigned).length
    return {
      strategy: this.strategy,
      totalCount: cabins.length,
      assignedCount,
      availableCount: cabins.length - assignedCount,
      cabins,
      savedPositionPlayerIds: [] as bigint[],
      ...(this.generation === 'newest' && {
        migration: this.migration === undefined ? null : { fromStrategy: this.strategy, ...this.migration },
        stackSpot:
          this.strategy === 'CabinStack'
            ? { tileX: 50, tileY: 14, isOverride: false, isObstructed: false, obstructionChecked: true }
            : null,
        mainFarmHouseEntry: { x: 64, y: 15 },
      }),
    }
  }
}
