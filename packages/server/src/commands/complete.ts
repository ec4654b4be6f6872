import { listFiles, rankPaths, type FoundSkills, type Workspace } from '@troupe/core'
import { builtIns } from './built-ins.ts'
import type { UsableCommands } from './command.ts'

/** Something that can be written at the place of the cursor. */
export interface Completion {
  kind: 'command' | 'skill' | 'file' | 'folder' | 'agent'
  /** What is put in place of what was typed. */
  insert: string
  label: string
  detail: string
}

/** The likeliest, and how many there are besides. */
export interface Completions {
  items: Completion[]
  more: number
}

const usualItems = 30
const maxFiles = 50_000
/** How long a list of files is good for: as long as somebody types a word. */
const freshMs = 3000

export interface CompleteOptions {
  skills(workspace: Workspace): Promise<FoundSkills>
  ownCommands(workspace: Workspace): UsableCommands
  /** Waits, for a moment, for MCP servers that are still connecting. */
  promptsReady(workspace: Workspace): Promise<void>
  agents(workspace: Workspace): Promise<readonly { name: string; description: string }[]>
}

/** What a word that begins with `/` or `@` may become: commands and skills, or agents, files and folders. */
export function createCompleter(
  options: CompleteOptions,
): (text: string, workspace: Workspace, most?: number) => Promise<Completions> {
  const listed = new Map<string, { at: number; files: Promise<string[]> }>()

  return async (text, workspace, most = usualItems) => {
    if (text.startsWith('/')) return slash(text.slice(1).toLowerCase(), workspace, most)
    if (text.startsWith('@')) return mention(text.slice(1).replace(/^"/, ''), workspace, most)
    return { items: [], more: 0 }
  }

  async function slash(typed: string, workspace: Workspace, most: number): Promise<Completions> {
    if (typed.startsWith('mcp:')) await options.promptsReady(workspace)
    const { skills } = await options.skills(workspace)
    const all: (Completion & { name: string })[] = [
      ...builtIns.flatMap(({ name, aliases = [], argument, about }) =>
        [name, ...aliases].map((one) => commandItem(one, about, argument)),
      ),
      ...options
        .ownCommands(workspace)
        .commands.map(({ name, description, argumentHint }) => commandItem(name, description, argumentHint)),
      ...skills.map(({ name, description }) => {
        const insert = `/skill/${name}`
        return { kind: 'skill' as const, name, insert: `${insert} `, label: insert, detail: description }
      }),
    ]
    const wanted = typed.replace(/^skill\/?/, '')
    const of = typed.startsWith('skill/') ? all.filter(({ kind }) => kind === 'skill') : all
    const begins = of.filter(({ name, label }) => name.startsWith(wanted) || label.slice(1).startsWith(typed))
    const contains = of.filter((item) => !begins.includes(item) && item.name.includes(wanted))
    const items = [...begins, ...contains].map(({ name: _, ...item }) => item)
    return { items: items.slice(0, most), more: Math.max(0, items.length - most) }
  }

  async function mention(typed: string, workspace: Workspace, most: number): Promise<Completions> {
    const agents = (await options.agents(workspace))
      .filter(({ name }) => name.toLowerCase().startsWith(typed.toLowerCase()))
      .map(({ name, description }): Completion => {
        return { kind: 'agent', insert: `@${name} `, label: `@${name}`, detail: description }
      })
    const { paths, total } = rankPaths(typed, await filesOf(workspace.path), most)
    const files = paths.map((path): Completion => {
      const isFolder = path.endsWith('/')
      const written = /[\s"'`<>|*?(){}[\],;!]/.test(path) ? `@"${path}"` : `@${path}`
      const insert = isFolder ? written : `${written} `
      return { kind: isFolder ? 'folder' : 'file', insert, label: path, detail: isFolder ? 'folder' : '' }
    })
    const items = [...agents.slice(0, 8), ...files].slice(0, most)
    return { items, more: total - items.filter(({ kind }) => kind !== 'agent').length }
  }

  function filesOf(folder: string): Promise<string[]> {
    const known = listed.get(folder)
    if (known !== undefined && Date.now() - known.at < freshMs) return known.files
    const files = listFiles(folder, '**', maxFiles, AbortSignal.timeout(10_000)).then((list) => list.files)
    if (listed.size > 20) listed.clear()
    listed.set(folder, { at: Date.now(), files })
    files.catch(() => listed.delete(folder))
    return files
  }
}

function commandItem(name: string, about: string, argument: string | undefined): Completion & { name: string } {
  const label = argument === undefined ? `/${name}` : `/${name} ${argument}`
  return { kind: 'command', name, insert: `/${name} `, label, detail: about }
}
