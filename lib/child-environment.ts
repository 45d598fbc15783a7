import type { Environment } from './environment.ts'

const inherited = /^(PATH|HOME|USER|LANG|LC_[A-Z]+|TZ|TMPDIR|XDG_RUNTIME_DIR|DBUS_SESSION_BUS_ADDRESS)$/

/**
 * The environment of every program that farmgate starts: these variables of its own, and no other, because any other
 * one can be a secret.
 * @param own what this program needs by farmgate's configuration
 */
export const childEnvironment = (env: Environment, own: Environment = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...onlyInherited(env), ...own }).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, text]],
    ),
  )

const onlyInherited = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => inherited.test(name)))
