/** The dispatcher for the calls that farmgate itself makes. */
import type { OwnDispatch } from '../../handlers/own-call.ts'
import { type FarmDispatchParts, farmDispatch } from './farm-dispatch.ts'

/** @param parts asked at each call, because the server, whose metrics count it, starts later */
export const ownDispatch =
  (parts: () => FarmDispatchParts): OwnDispatch =>
  (call) =>
    farmDispatch(parts()).dispatch({
      ...call,
      from: { requestId: crypto.randomUUID(), address: '' },
      takesDiscord: false,
    })
