import {
  type AgentState,
  type Blobs,
  commandPlaces,
  explainCall,
  findCommands,
  placeContext,
  readPrompt,
  type Session,
  type Store,
  type Tool,
  type Workspace,
} from '@troupe/core'
import type { AgentRegistry } from '../agents/agent-registry.ts'
import type { Mcp } from '../mcp/open-mcp.ts'
import { checkServer, promptCommands } from '../mcp/prompt-commands.ts'
import type { Models } from '../models/models.ts'
import type { Permissions } from '../permission/permissions.ts'
import type { SkillRegistry } from '../skills/skill-registry.ts'
import type { Spending } from '../usage/spending.ts'
import { readResponding } from '../workspaces/folder-states.ts'
import type { CommandContext, UsableCommands } from './built-in/command.ts'
import {
  builtInNames,
  builtIns,
  createMessageExpander,
  type ExpandMessage,
  type MentionSources,
} from './expand-message.ts'

/** Slash commands of all workspaces: built-in ones, command files and MCP prompts. */
export interface Commands {
  expandMessage: ExpandMessage
  ownCommands(workspace: Workspace): UsableCommands
  /** For the built-in commands. */
  context: CommandContext
}

/** Time limit for MCP prompts when a message is sent. */
const promptsMs = 10_000

export function openCommands(options: {
  store: Store
  /** False for a folder that hangs. Its files are not touched then. */
  responds(folder: string): boolean
  /** The Troupe home. */
  home: string
  spending: Pick<Spending, 'guard'>
  models: Models
  agents: AgentRegistry
  permissions: Permissions
  skills: SkillRegistry
  mcp: Pick<Mcp, 'of'>
  blobs: Blobs
  states: { of(session: Session, workspace: Workspace): AgentState }
  tools: { enabled(workspaceId: string): readonly Tool[] }
  workspaces: { of(session: { workspaceId: string }): Promise<Workspace> }
}): Commands {
  const { store, home, models, agents, permissions, skills } = options
  const ownCommands = (workspace: Workspace): UsableCommands => {
    const { path, trusted } = workspace
    const find = (folder?: string) => findCommands(commandPlaces({ troupeHome: home, workspace: folder }), builtInNames)
    const files = readResponding(
      () => trusted && options.responds(path),
      () => find(path),
      () => find(),
    )
    const prompts = promptCommands(options.mcp.of(workspace).servers())
    const taken = new Set(files.commands.map(({ name }) => name))
    return {
      commands: [...files.commands, ...prompts.commands.filter(({ name }) => !taken.has(name))],
      problems: [...files.problems, ...prompts.problems],
    }
  }
  const mentions = async (workspace: Workspace, session?: Session): Promise<MentionSources> => ({
    workspacePath: workspace.path,
    agents: await agents.offered(workspace, {}),
    mayRead: async ({ tool, path }) =>
      explainCall(
        { tool, input: tool === 'Read' ? { file_path: path } : { path } },
        options.tools.enabled(workspace.id),
        placeContext(workspace.path),
        permissions.policy(workspace, session === undefined ? {} : { session }),
      ),
  })
  return {
    ownCommands,
    expandMessage: createMessageExpander({
      workspace: (workspaceId) => options.workspaces.of({ workspaceId }),
      skills: (workspace, session) => skills.of(workspace, session),
      ownCommands,
      prompts: {
        ready: (workspace) => options.mcp.of(workspace).complete(promptsMs),
        check: (workspace, command) => checkServer(options.mcp.of(workspace).views(), command),
        read: async (workspace, { server, name }, given) =>
          readPrompt(await options.mcp.of(workspace).getPrompt(server, name, given), options.blobs),
      },
      mentions,
      checkAgent: (workspace, name) => agents.find(workspace, name),
      checkModel: (id) => models.resolveChatModel(id),
    }),
    context: {
      builtIns,
      store,
      models,
      spending: options.spending,
      agents,
      setMode: permissions.setMode,
      state: (session, workspace) => options.states.of(session, workspace),
      skills,
      ownCommands,
      workspace: (session) => options.workspaces.of(session),
    },
  }
}
