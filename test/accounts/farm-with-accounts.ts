import type { SignInUnderTest } from '../contract/server-under-test.ts'
import { openFront } from './front.ts'
import { startIssuer } from './issuer.ts'
import { signInWith } from './sign-in.ts'

/** A farm behind the address of its page, and the providers with which people sign in there. @param start starts the farm */
export async function farmWithAccounts<
  Server extends { readonly url: string; readonly stop: () => Promise<void> },
>(start: (signIn: SignInUnderTest) => Promise<Server>, more?: Partial<SignInUnderTest>) {
  const issuer = await startIssuer()
  const front = await openFront()
  const server = await start(signInWith(issuer, front.url, more))
  front.passTo(server.url)
  return {
    issuer,
    front,
    server,
    async stop() {
      await server.stop()
      front.stop()
      issuer.stop()
    },
  }
}
