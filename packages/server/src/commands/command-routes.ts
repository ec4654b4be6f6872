import { type FoundSkills, listFiles, rankPaths, type Store, type Workspace } from '@troupe/core'
import { commandEndpoints, type CommandInfo, type Completion, type Completions, NamedError } from '@troupe/protocol'
import type { AgentRegistry } from '../agents/agent-registry.ts'
import { implement, type Route } from '../http/route.ts'
import type { Mcp } from '../mcp/open-mcp.ts'
import type { SkillRegistry } from '../skills/skill-registry.ts'
import type { UsableCommands } from './built-in/command.ts'
import { builtIns } from './expand-message.ts'
import type { Commands } from './open-commands.ts'
import { isJoinedId } from '../util/joined-folder.ts'

/** Time limit for prompts while the user waits for completions. */
const completePromptsMs = 3000

export function commandRoutes(options: {
  store: Store
  skills: SkillRegistry
  agents: AgentRegistry
  commands: Commands
  mcp: Pick<Mcp, 'of'>
}): Route[] {
  const { store } = options
  const workspaceOf = async (id: string): Promise<Workspace> => (await store.workspaces.get(id)) as Workspace
  const complete = createCompleter({
    skills: (workspace) => options.skills.of(workspace),
    ownCommands: (workspace) => options.commands.ownCommands(workspace),
    promptsReady: (workspace) => options.mcp.of(workspace).complete(completePromptsMs),
    agents: async (workspace) => (await options.agents.offered(workspace, {})).filter(({ hidden }) => hidden !== true),
  })
  return implement(commandEndpoints, {
    'GET /ai/commands': async ({ workspaceId }) => {
      const own = options.commands.ownCommands(await workspaceOf(workspaceId))
      const ours = builtIns.map(({ name, aliases, argument, about }): CommandInfo => ({
        name,
        description: about,
        scope: 'built-in',
        argument,
        aliases,
      }))
      const theirs = own.commands.map(({ argumentHint, ...command }): CommandInfo => ({
        ...command,
        argument: argumentHint,
      }))
      return { commands: [...ours, ...theirs], problems: own.problems }
    },
    'POST /ai/commands/:name': async ({ params: { name }, body, workspaceId }) => {
      const { commands } = options.commands.ownCommands(await workspaceOf(workspaceId))
      if (!commands.some((command) => command.name === name))
        throw new NamedError('CommandNotFound', `You have no command /${name.slice(0, 100)}.`, {
          status: 404,
        })
      const { parts } = await options.commands.expandMessage({
        parts: [{ type: 'text', text: `/${name} ${body.rest}` }],
        workspaceId,
        session: undefined,
        chain: () => Promise.resolve([]),
      })
      return { parts: parts.filter(({ type }) => type !== 'text') }
    },
    'GET /ai/complete': async ({ query: { text, most }, workspaceId }) =>
      complete(text, await workspaceOf(workspaceId), most),
  })
}

const usualItems = 30
const maxFiles = 50_000
/** Time to cache a file list: about as long as typing a word takes. */
const freshMs = 3000

interface CompleteOptions {
  skills(workspace: Workspace): Promise<FoundSkills>
  ownCommands(workspace: Workspace): UsableCommands
  /** Waits briefly for MCP servers that are still connecting. */
  promptsReady(workspace: Workspace): Promise<void>
  agents(workspace: Workspace): Promise<readonly { name: string; description: string }[]>
}

/** Completes a word that starts with `/` (commands, skills) or `@` (agents, files, folders). */
function createCompleter(
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
    const { paths, total } = rankPaths(typed, isJoinedId(workspace.id) ? [] : await filesOf(workspace.path), most)
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
