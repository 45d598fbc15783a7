/** A browser's cookies and redirects, over real HTTP. */
import { expect } from 'vitest'
import { ask, type Reply, type RequestOptions } from '../contract/request.ts'

export interface Browser {
  /** The cookies of the farm, by their names. */
  readonly cookies: Map<string, string>
  /** The header `Cookie`. */
  readonly cookie: string
  /** One request to the farm, as a script of its page makes it. @param path from the root of the page */
  fetch(method: string, path: string, options?: RequestOptions): Promise<Reply>
  /** Opens an address as a link does, and the pages that it sends to. @returns the last address */
  open(url: string): Promise<string>
  /** @returns the address of the provider's page, without opening it */
  begin(provider: string, next?: string): Promise<string>
  /** Comes back from the provider. @param page as `begin` returns it @returns the farm's answer */
  comeBack(page: string): Promise<Reply>
  /** Signs in, and expects that it succeeds. */
  signIn(provider: string, next?: string): Promise<string>
}

/** @param page the address of the farm's page */
export function browser(page: string): Browser {
  const cookies = new Map<string, string>()
  const { origin, pathname } = new URL(page)
  const noteCookies = ({ headers }: Pick<Reply, 'headers'>) => {
    for (const line of headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const [name = '', value = ''] = pair.split('=')
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
  }
  const go = async (url: string): Promise<Reply> => {
    const isOwn = new URL(url).origin === origin
    const own = isOwn && cookies.size > 0 ? { Cookie: one.cookie } : {}
    const reply = await ask({ url: '' }, 'GET', url, { headers: own })
    if (isOwn) noteCookies(reply)
    return reply
  }
  const to = (reply: Reply) => reply.headers.get('location') ?? ''
  const one: Browser = {
    cookies,
    get cookie() {
      return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    },
    async fetch(method, path, { headers = {}, ...rest } = {}) {
      const own = method === 'GET' ? {} : { Origin: origin }
      const sent = cookies.size > 0 ? { Cookie: one.cookie } : {}
      const reply = await ask({ url: page }, method, path, {
        ...rest,
        headers: { ...sent, ...own, ...headers },
      })
      noteCookies(reply)
      return reply
    },
    async open(url) {
      let at = url
      for (let hops = 0; hops < 5; hops += 1) {
        const reply = await go(at)
        if (reply.status !== 302 && reply.status !== 303) return at
        at = to(reply)
        const { origin: there, pathname: path } = new URL(at)
        if (there === origin && path === pathname) return at
      }
      return at
    },
    async begin(provider, next) {
      const query = next === undefined ? '' : `?next=${encodeURIComponent(next)}`
      const reply = await go(`${page}/sign-in/${provider}${query}`)
      expect(reply).toMatchObject({ status: 303, text: '' })
      return to(reply)
    },
    comeBack: async (there) => go(to(await go(there))),
    async signIn(provider, next) {
      const reply = await one.comeBack(await one.begin(provider, next))
      expect(to(reply)).not.toContain('#sign-in=')
      expect(reply.status).toBe(303)
      expect([...cookies.keys()]).toContainEqual(expect.stringMatching(/^farmgate(-[a-z]+)?$/))
      return to(reply)
    },
  }
  return one
}
