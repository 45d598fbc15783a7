/** The input and output of a client's session on `/ws` (`client-session.ts`). */
import type { KeyHolder } from '../key-holder.ts'
import type { ChatErrorCode, ChatId, Followed } from './messages.ts'
import type { Allowance } from './rates.ts'

export type ChatState =
  | {
      readonly phase: 'unauthenticated'
      /** Protocol pings and pongs that the client may still send. */
      readonly pings: number
    }
  | {
      readonly phase: 'open'
      /** The client has used `since` or `subscribe`, so it stays connected while the game is offline. */
      readonly stays: boolean
      readonly allowance: Allowance
      /** Of the key that the client sent last. */
      readonly holder: KeyHolder
    }
  | { readonly phase: 'closed' }

/** What happened, `at` milliseconds since 1970. */
export type ChatInput =
  | { readonly type: 'text'; readonly text: string; readonly at: number }
  | { readonly type: 'binary' }
  /** A protocol ping or pong. */
  | { readonly type: 'ping'; readonly at: number }
  /** The time to authenticate is over. */
  | { readonly type: 'deadline' }
  /** The game is offline (`refusedFrom`). */
  | { readonly type: 'game_away' }
  /** A key was made, changed or revoked, or has expired. */
  | { readonly type: 'keys_changed' }

/** What the room must do after it has sent the texts. */
export type ChatTask =
  /** Send the client every chat line from now on; with `since`, send the missed lines first. */
  | { readonly do: 'listen'; readonly since?: number }
  | {
      readonly do: 'say'
      readonly author: string
      readonly lines: readonly string[]
      readonly holder: KeyHolder
      /** Repeated in the answer: `chat_sent` or `error`. */
      readonly id?: ChatId
    }
  | { readonly do: 'subscribe'; readonly topics: readonly Followed[] }

export interface ChatStep {
  readonly state: ChatState
  readonly send: readonly string[]
  readonly task?: ChatTask
  readonly close?: { readonly code: number; readonly reason: string }
  /** How many lines of the client were refused and why, for the log and the metrics. */
  readonly refused?: { readonly code: ChatErrorCode; readonly lines: number }
}

export interface ChatRules {
  /** A key is set. */
  readonly keyRequired: boolean
  /** `limited`: the key is wrong, and too many wrong keys came from this address. */
  readonly verify: (token: string) => KeyHolder | 'wrong' | 'limited'
  /** The current holder; undefined when its key was revoked or replaced, or has expired. */
  readonly current: (holder: KeyHolder) => KeyHolder | undefined
  /** The game is offline (`refusedFrom`). */
  readonly isGameOffline: () => boolean
  /** Whether the key may have one more client. */
  readonly hasPlace: (holder: KeyHolder) => boolean
  /**
   * Takes lines from the key's allowance over all its clients, all or none. @returns false when the allowance is too
   * small
   */
  readonly takeLines: (holder: KeyHolder, lines: number, at: number) => boolean
}
