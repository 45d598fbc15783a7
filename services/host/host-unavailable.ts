import { FarmError } from '../../handlers/farm-error.ts'

export const hostUnavailable = (sentence: string) => new FarmError({ kind: 'host_unavailable', sentence })

export const late = () => hostUnavailable("What runs the game's process (GAME_HOST) does not answer in time")
