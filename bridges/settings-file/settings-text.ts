/**
 * The text of `server-settings.json`: JSON with comments and trailing commas, as the game's own reader accepts it. A
 * change of a member replaces only its value, so that comments and unknown members stay where they are.
 */
import { applyEdits, type Edit, modify, type Node, type ParseOptions, parse, parseTree } from 'jsonc-parser'
import type { SettingsPatch } from '../../handlers/settings-change.ts'
import { CommentedJsonError, parseCommented } from '../../lib/foreign/commented.ts'

const options: ParseOptions = { allowTrailingComma: true }
const mark = '\uFEFF'

/** @throws {Error} with the place where the text is not JSON, or the limit that it exceeds */
export function parseSettings(text: string): unknown {
  try {
    return parseCommented(withoutMark(text))
  } catch (error) {
    const { message } = error as Error
    throw new Error(
      error instanceof CommentedJsonError
        ? `server-settings.json is not JSON: ${message}`
        : `server-settings.json cannot be read: ${message}`,
    )
  }
}

/**
 * Puts the members of a patch into the text.
 * @returns the new text, and the members whose value has changed, such as `server.maxPlayers`
 * @throws {Error} the text is not a JSON object, has a name twice, or a section that is not an object
 */
export function mergeSettings(
  text: string,
  patch: SettingsPatch,
): { text: string; changed: readonly string[] } {
  parseSettings(text)
  const changed: string[] = []
  let content = withoutMark(text)
  for (const [section, members] of Object.entries(patch))
    for (const [member, value] of Object.entries(members)) {
      const root = objectOf(parseTree(content, undefined, options), 'the file')
      const group = memberOf(root, section)
      const found = group && memberOf(objectOf(group.value, group.name), member)
      if (found !== undefined && isEqual(memberValue(content, found.value), value)) continue
      const path = [group?.name ?? fileName(section), found?.name ?? fileName(member)]
      const before = (group?.value ?? root).children?.at(-1)
      const edits = modify(content, path, value, {})
      content = applyEdits(content, found ? edits : edits.map((edit) => placed(content, before, edit)))
      changed.push(`${section}.${member}`)
    }
  return { text: text.startsWith(mark) ? mark + content : content, changed }
}

/** Editors on Windows add a byte order mark. */
const withoutMark = (text: string) => (text.startsWith(mark) ? text.slice(mark.length) : text)

function objectOf(node: Node | undefined, name: string): Node {
  if (node?.type === 'object') return node
  throw new Error(`server-settings.json: ${name} must be an object`)
}

interface Member {
  /** As the file writes it. */
  readonly name: string
  readonly value: Node
}

/** The member of a name, in any case. @throws {Error} there are two: it is unknown which of them the game takes */
function memberOf(object: Node, name: string): Member | undefined {
  const all = (object.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    key !== undefined && value !== undefined && String(key.value).toLowerCase() === name.toLowerCase()
      ? [{ name: String(key.value), value }]
      : [],
  )
  if (all.length > 1) throw new Error(`server-settings.json has ${fileName(name)} twice`)
  return all[0]
}

const memberValue = (content: string, { offset, length }: Node): unknown =>
  parse(content.slice(offset, offset + length), undefined, options)

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** The game writes `MaxPlayers`, and reads names in any case. */
const fileName = (member: string) => member.charAt(0).toUpperCase() + member.slice(1)

/** A new member is on a separate line, indented as the one before it, if that one is. */
function placed(content: string, before: Node | undefined, edit: Edit): Edit {
  const start = before === undefined ? '' : content.slice(0, before.offset)
  const lineBreak = /\r?\n[ \t]*$/.exec(start)?.[0] ?? ' '
  return { ...edit, content: edit.content.replace(/^,/, `,${lineBreak}`) }
}
