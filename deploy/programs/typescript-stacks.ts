/**
 * Part of every built program and thread: stacks name files and lines of the sources. Node reads the stack of each error
 * that ends a connection, so this must cost little: `--enable-source-maps` and the class `SourceMap` of Node keep 13 to
 * 25 MB from the first stack on. This reads the map for each new place in the code, and keeps only what it found.
 */
import { readFileSync } from 'node:fs'

interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
}

const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const digits = new Map([...base64].map((letter, digit) => [letter, digit]))

/** @returns the place in the sources, by the source map of a built file (ECMA-426); undefined for code of the bundler */
function sourceOf({ file, line, column }: Place): Place | undefined {
  const { mappings, sources }: { mappings: string; sources: readonly string[] } = JSON.parse(
    readFileSync(new URL(`${file}.map`), 'utf8'),
  )
  let builtLine = 1
  let builtColumn = 0
  /** Of the source: its index, line and column, from 0. */
  const of: [number, number, number] = [0, 0, 0]
  let field = 0
  let number = 0
  let shift = 0
  let found: Place | undefined
  for (const letter of mappings) {
    const digit = digits.get(letter)
    if (digit === undefined) {
      if (letter === ';') {
        if (builtLine === line) return found
        builtLine += 1
        builtColumn = 0
      }
      field = 0
      continue
    }
    number += (digit & 31) << shift
    shift += 5
    if (digit & 32) continue
    const step = number & 1 ? -(number >> 1) : number >> 1
    number = 0
    shift = 0
    if (field === 0) builtColumn += step
    else if (field === 1) of[0] += step
    else if (field === 2) of[1] += step
    else if (field === 3) of[2] += step
    if (builtLine === line && builtColumn >= column) return found
    if (builtLine === line && field === 3)
      found = { file: new URL(sources[of[0]] ?? '', file).href, line: of[1] + 1, column: of[2] + 1 }
    field += 1
  }
  return found
}

/** By the place in a built file, as a stack names it. */
const known = new Map<string, string>()

const inBuilt = /(file:\/\/[^\s()]*\/built\/[^\s()]*\.js):(\d+):(\d+)/

const original = (frame: string): string =>
  frame.replace(inBuilt, (built, file: string, line, column) => {
    const earlier = known.get(built)
    if (earlier !== undefined) return earlier
    let text = built
    try {
      const source = sourceOf({ file, line: Number(line), column: Number(column) })
      if (source !== undefined) text = `${source.file}:${source.line}:${source.column}`
    } catch {
      // Without its map, the built file is named.
    }
    known.set(built, text)
    return text
  })

Error.prepareStackTrace = (error, frames) =>
  [Error.prototype.toString.call(error), ...frames.map((frame) => `    at ${original(String(frame))}`)].join(
    '\n',
  )
