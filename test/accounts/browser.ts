/** A browser's cookies and redirects, over real HTTP. */
import { expect } from 'vitest'
import { ask, type Reply, type RequestOptions } from '../contract/request.ts'

export interface Browser {
  /** The cookies of the farm, by their names. */
  readonly cookies: Map<string, string>
  /** The header `Cookie`. */
  readonly cookie: string
  /** The secret that the page's origin keeps; undefined before a sign-in. */
  secret: string | undefined
  /** What a script of the page sends in addition: the cookie, and the secret. */
  readonly own: Readonly<Record<string, string>>
  /** The protocols of `/ws`. */
  readonly protocols: readonly string[]
  /** One request to the farm, as a script of its page makes it. @param path from the root of the page */
  fetch(method: string, path: string, options?: RequestOptions): Promise<Reply>
  /** Opens an address as a link does, and the pages that it sends to. @returns the last address */
  open(url: string): Promise<string>
  /** @returns the address of the provider's page, without opening it */
  begin(provider: string, next?: string): Promise<string>
  /** Comes back from the provider. @param page as `begin` returns it @returns the farm's answer */
  comeBack(page: string): Promise<Reply>
  /** Exchanges the code in the address of the page, as its script does. @returns the address without it */
  land(address: string): Promise<string>
  /** Signs in, and expects that it succeeds. @returns the address of the page then, without the code */
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
    secret: undefined,
    get own() {
      return {
        ...(cookies.size > 0 && { Cookie: one.cookie }),
        ...(one.secret !== undefined && { 'Farmgate-Session': one.secret }),
      }
    },
    get protocols() {
      return one.secret === undefined ? [] : ['farmgate', `session.${one.secret}`]
    },
    async fetch(method, path, { headers = {}, ...rest } = {}) {
      const from = method === 'GET' ? {} : { Origin: origin }
      const reply = await ask({ url: page }, method, path, {
        ...rest,
        headers: { ...one.own, ...from, ...headers },
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
    async land(address) {
      const [, code = '', dot = ''] = /#session=([\w-]+)(\.?)/.exec(address) ?? []
      const { json } = await one.fetch('POST', '/sign-in/session', { json: { code } })
      one.secret = String(Object(json as object).secret)
      return address.replace(`#session=${code}${dot}`, dot === '' ? '' : '#')
    },
    async signIn(provider, next) {
      const reply = await one.comeBack(await one.begin(provider, next))
      expect(to(reply)).not.toContain('#sign-in=')
      expect(reply.status).toBe(303)
      expect([...cookies.keys()]).toContainEqual(expect.stringMatching(/^farmgate(-[a-z]+)?$/))
      return one.land(to(reply))
    },
  }
  return one
}
