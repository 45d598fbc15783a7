/** The dispatcher for the calls that farmgate itself makes. */
import type { OwnDispatch } from '../../handlers/own-call.ts'
import { type FarmDispatchParts, farmDispatch } from './farm-dispatch.ts'

/** @param parts asked at the first call, because the server, whose metrics count it, starts later */
export function ownDispatch(parts: () => FarmDispatchParts): OwnDispatch {
  let farm: ReturnType<typeof farmDispatch> | undefined
  return (call) => {
    farm ??= farmDispatch(parts())
    return farm.dispatch({
      ...call,
      from: { requestId: crypto.randomUUID(), address: '' },
      takesDiscord: false,
    })
  }
}
