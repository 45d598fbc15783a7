/**
 * Part of every built program and thread: stacks name files and lines of the sources. Node's own
 * `--enable-source-maps` reads every map when its file is loaded, for 13 MB of memory; this reads one when a stack needs it.
 */
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'

const maps = new Map<string, SourceMap | undefined>()

function mapOf(url: string): SourceMap | undefined {
  if (!maps.has(url)) {
    try {
      maps.set(url, new SourceMap(JSON.parse(readFileSync(new URL(`${url}.map`), 'utf8'))))
    } catch {
      maps.set(url, undefined)
    }
  }
  return maps.get(url)
}

const inBuilt = /(file:\/\/[^\s()]*\/built\/[^\s()]*\.js):(\d+):(\d+)/

const original = (frame: string): string =>
  frame.replace(inBuilt, (all, url: string, line, column) => {
    const entry = mapOf(url)?.findEntry(Number(line) - 1, Number(column) - 1)
    if (entry === undefined || !('originalSource' in entry)) return all
    const source = new URL(entry.originalSource, url).href
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
  })

Error.prepareStackTrace = (error, frames) =>
  [Error.prototype.toString.call(error), ...frames.map((frame) => `    at ${original(String(frame))}`)].join(
    '\n',
  )
