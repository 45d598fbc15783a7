import type { Platform } from '../platform.ts'
import type { Phase } from '../progress.ts'
import type { DownloadSettings } from '../settings.ts'
import type { Refusal } from './refusal.ts'

/** What the thread is started with. */
export interface DepotOrder {
  readonly command: 'install' | 'verify'
  readonly settings: DownloadSettings
}

/** Something to tell the operator, in words and for programs. */
export interface Report {
  readonly text: string
  readonly json: object
}

/** How an order ended. */
export interface DepotOutcome {
  /** One for the SDK, one for the game. */
  readonly reports: readonly Report[]
  /** What a check found wrong; 0 after an install. */
  readonly wrong: number
}

/** A question to the platform: a method of the port and what it is called with. */
export type Question = {
  [Name in keyof Platform]: { readonly name: Name; readonly args: Parameters<Platform[Name]> }
}[keyof Platform]

type Answer = Awaited<ReturnType<Platform[keyof Platform]>>

/** To the thread. */
export type ToThread =
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Answer }
  | ({ readonly kind: 'refusal'; readonly id: number } & Refusal)
  | { readonly kind: 'abort' }

/** From the thread. */
export type FromThread =
  | ({ readonly kind: 'ask'; readonly id: number } & Question)
  | { readonly kind: 'phase'; readonly phase: Phase; readonly total: number }
  | { readonly kind: 'advance'; readonly bytes: number }
  | { readonly kind: 'say' | 'warn'; readonly text: string }
  | { readonly kind: 'end' }
  | ({ readonly kind: 'plan' } & Report)
  | ({ readonly kind: 'done' } & DepotOutcome)
  | ({ readonly kind: 'failed' } & Refusal)
