import { FarmError } from '../../handlers/farm-error.ts'
import { harmful } from '../../lib/harmless-text.ts'

export const hostUnavailable = (sentence: string) => new FarmError({ kind: 'host_unavailable', sentence })

export const late = () => hostUnavailable("What runs the game's process (GAME_HOST) does not answer in time")

/** A text of another program, as a part of a sentence. */
export const quoted = (text: string): string => text.replaceAll(harmful, ' ').slice(0, 300)
