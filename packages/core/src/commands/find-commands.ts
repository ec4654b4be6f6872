import { isUtf8 } from 'node:buffer'
import { type Dirent, readdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { isInside } from '../files/resolve-path.ts'
import { FileFault, readFrontMatter, toolRules } from '../skills/parse-skill-file.ts'
import type { SkillProblem } from '../tool/agent-state.ts'

/** User-defined command: a Markdown file whose text is sent as the message. */
export interface OwnCommand {
  /** `dir:name` for a file in a subfolder. */
  name: string
  description: string
  path: string
  scope: 'home' | 'workspace'
  argumentHint?: string
  /** Agent that answers this one message. */
  agent?: string
  model?: string
  /** Same as for a skill; see `decideCall`. */
  allowedTools?: readonly string[]
}

export interface CommandPlace {
  folder: string
  scope: OwnCommand['scope']
  /** Folder that its files must be inside, after links are resolved. */
  root?: string
}

export interface FoundCommands {
  commands: (OwnCommand & { shadows: string[] })[]
  problems: SkillProblem[]
}

const maxFiles = 1000
const maxDepth = 5
const maxBytes = 256 * 1024

const frontMatter = z.looseObject({
  description: z.string().max(1024).optional(),
  'argument-hint': z.union([z.string(), z.array(z.string()).transform((words) => `[${words.join('] [')}]`)]).optional(),
  agent: z.string().min(1).max(64).optional(),
  model: z.string().min(1).max(300).optional(),
  'allowed-tools': z.union([z.string(), z.array(z.string())]).optional(),
})

/** Lists the folders to search, lowest precedence first. Only pass a trusted workspace. */
export function commandPlaces({ troupeHome, workspace }: { troupeHome: string; workspace?: string }): CommandPlace[] {
  const home: CommandPlace = { folder: path.join(troupeHome, 'commands'), scope: 'home' }
  if (workspace === undefined) return [home]
  const within = (name: string): CommandPlace => ({
    folder: path.join(workspace, name, 'commands'),
    scope: 'workspace',
    root: workspace,
  })
  return [home, within('.claude'), within('.troupe')]
}

/** Reads the disk on every call, since there are few files. `taken` lists reserved names. */
export function findCommands(places: readonly CommandPlace[], taken: readonly string[] = []): FoundCommands {
  const problems: SkillProblem[] = []
  const byName = new Map<string, FoundCommands['commands'][number]>()
  for (const place of places) {
    for (const names of markdownIn(place.folder, [], problems)) {
      const file = path.join(place.folder, ...names)
      const name = names.join(':').slice(0, -'.md'.length).toLowerCase()
      try {
        if (!/^[\p{L}\p{N}][\p{L}\p{N}_:-]*$/u.test(name))
          throw new FileFault('a command name can only have letters, digits, "-" and "_"')
        if (taken.includes(name)) throw new FileFault(`/${name} is a built-in command; rename the file`)
        const { data } = readCommand(file, place.root)
        const farther = byName.get(name)
        const shadows = farther === undefined ? [] : [farther.path, ...farther.shadows]
        byName.set(name, { ...data, name, path: file, scope: place.scope, shadows })
      } catch (error) {
        const line = error instanceof FileFault ? error.line : undefined
        problems.push({ path: file, message: (error as Error).message, line })
      }
    }
  }
  return { commands: [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)), problems }
}

export function readCommandBody({ path: file }: Pick<OwnCommand, 'path'>): string {
  return readCommand(file).body
}

function readCommand(file: string, root?: string): { data: Omit<OwnCommand, 'name' | 'path' | 'scope'>; body: string } {
  const stats: Stats = statSync(file)
  if (!stats.isFile()) throw new FileFault('it is not a file')
  if (stats.size > maxBytes) throw new FileFault(`it is longer than ${maxBytes / 1024} KiB`)
  if (root !== undefined && !isInside(realpathSync(file), realpathSync(root)))
    throw new FileFault('it links to something outside the project')
  const bytes = readFileSync(file)
  if (!isUtf8(bytes)) throw new FileFault('it is not UTF-8 text')
  const { data, lineOf, body } = readFrontMatter(bytes.toString())
  const parsed = frontMatter.safeParse(data)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const key = String(issue?.path[0] ?? '')
    throw new FileFault(`${key}: ${issue?.message}`, lineOf(key))
  }
  if (body === '') throw new FileFault('it has no text to send')
  const { description, agent, model } = parsed.data
  const argumentHint = parsed.data['argument-hint']
  const allowed = parsed.data['allowed-tools']
  return {
    data: {
      description: (description ?? body.split('\n')[0] ?? '').replace(/\s+/g, ' ').slice(0, 200),
      argumentHint,
      agent,
      model,
      allowedTools: allowed === undefined ? undefined : toolRules(allowed, lineOf('allowed-tools')),
    },
    body,
  }
}

/** Lists the `.md` files below a folder, each as its path segments. */
function markdownIn(folder: string, above: readonly string[], problems: SkillProblem[]): string[][] {
  let entries: Dirent[]
  try {
    entries = readdirSync(path.join(folder, ...above), { withFileTypes: true })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'ENOTDIR') problems.push({ path: path.join(folder, ...above), message })
    return []
  }
  const found = entries
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const names = [...above, entry.name]
      if (entry.isDirectory()) return names.length < maxDepth ? markdownIn(folder, names, problems) : []
      return entry.name.endsWith('.md') && !/^(readme|\.)/i.test(entry.name) ? [names] : []
    })
  return found.slice(0, maxFiles)
}

/** A message that starts with a command: `/name` or `/dir:name`, then the arguments. */
export interface ParsedCommand {
  name: string
  rest: string
}

const pattern = /^\/([\p{L}\p{N}][\p{L}\p{N}_-]{0,63}(?::[\p{L}\p{N}][\p{L}\p{N}_-]{0,63}){0,5})(?:\s+([\s\S]*))?$/u

/** Returns undefined for anything else, such as `/usr/bin` or `/skill/name`. */
export function parseCommand(text: string): ParsedCommand | undefined {
  const match = pattern.exec(text.trim())
  return match === null ? undefined : { name: (match[1] as string).toLowerCase(), rest: (match[2] ?? '').trim() }
}

/**
 * Inserts the arguments into a command's text. `$ARGUMENTS` is the whole string; `$1` to `$9` are its words, where
 * quotes group several words. If the text uses none of these, the arguments are appended. Inserted text is not expanded
 * again.
 */
export function expandCommand(body: string, given: string): string {
  const words = wordsOf(given)
  let used = false
  const text = body.replace(/\$(?:ARGUMENTS(?![A-Za-z0-9_])|([1-9])(?![0-9]))/g, (_, number: string | undefined) => {
    used = true
    return number === undefined ? given : (words[Number(number) - 1] ?? '')
  })
  return used || given === '' ? text : `${text}\n\n${given}`
}

function wordsOf(given: string): string[] {
  return Array.from(
    given.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  )
}
