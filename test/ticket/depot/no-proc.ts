import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** Loaded into a process and each of its threads: a system without `/proc`, such as macOS. */
const { existsSync } = fs
Object.assign(fs, { existsSync: (path: fs.PathLike) => path !== '/proc/self/fd' && existsSync(path) })
const { openSync } = fs
Object.assign(fs, {
  openSync(...call: Parameters<typeof openSync>) {
    if (String(call[0]).startsWith('/proc/')) throw new Error(`there is no ${call[0]}`)
    return openSync(...call)
  },
})
syncBuiltinESMExports()
