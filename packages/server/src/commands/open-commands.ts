import {
  type AgentState,
  type Blobs,
  commandPlaces,
  findCommands,
  placeContext,
  readPrompt,
  type Session,
  type Store,
  type Tool,
  type Workspace,
  explainCall,
} from '@troupe/core'
import type { AgentRegistry } from '../agents/agent-registry.ts'
import type { Mcp } from '../mcp/open-mcp.ts'
import { checkServer, promptCommands } from '../mcp/prompt-commands.ts'
import type { Models } from '../models/models.ts'
import type { Permissions } from '../permission/permissions.ts'
import type { SkillRegistry } from '../skills/skill-registry.ts'
import type { CommandContext, UsableCommands } from './built-in/command.ts'
import { builtInNames, builtIns } from './built-ins.ts'
import { createMessageExpander, type ExpandMessage, type MentionSources } from './expand-message.ts'

export interface CommandParts {
  takeMessage: ExpandMessage
  commands: CommandContext & { workspace(session: Session): Promise<Workspace> }
  ownCommands(workspace: Workspace): UsableCommands
}

/** Time limit for MCP prompts when a message is sent. */
const promptsMs = 10_000

export function openCommands(options: {
  store: Store
  /** The Troupe home. */
  home: string
  models: Models
  agentBook: AgentRegistry
  permissions: Permissions
  skillBook: SkillRegistry
  mcp: Pick<Mcp, 'of'>
  blobs: Blobs
  state(session: Session, workspace: Workspace): AgentState
  tools(workspaceId: string): readonly Tool[]
  /** Loads the workspace's extensions first. */
  workspace(of: { workspaceId: string }): Promise<Workspace>
}): CommandParts {
  const { store, home, models, agentBook, permissions, skillBook } = options
  const ownCommands = (workspace: Workspace): UsableCommands => {
    const { path, trusted } = workspace
    const files = findCommands(commandPlaces({ troupeHome: home, ...(trusted && { workspace: path }) }), builtInNames)
    const prompts = promptCommands(options.mcp.of(workspace).servers())
    const taken = new Set(files.commands.map(({ name }) => name))
    return {
      commands: [...files.commands, ...prompts.commands.filter(({ name }) => !taken.has(name))],
      problems: [...files.problems, ...prompts.problems],
    }
  }
  const skills: CommandContext['skills'] = (workspace, session) => skillBook.of(workspace, session)

  const mentions = async (workspace: Workspace, session?: Session): Promise<MentionSources> => ({
    workspacePath: workspace.path,
    agents: await agentBook.offered(workspace, {}),
    mayRead: async ({ tool, path }) =>
      explainCall(
        { tool, input: tool === 'Read' ? { file_path: path } : { path } },
        options.tools(workspace.id),
        placeContext(workspace.path),
        permissions.policy(workspace, session === undefined ? {} : { session }),
      ),
  })
  return {
    ownCommands,
    takeMessage: createMessageExpander({
      workspace: (workspaceId) => options.workspace({ workspaceId }),
      skills: (workspace, session) => skillBook.of(workspace, session),
      ownCommands,
      prompts: {
        ready: (workspace) => options.mcp.of(workspace).complete(promptsMs),
        check: (workspace, command) => checkServer(options.mcp.of(workspace).views(), command),
        read: async (workspace, { server, name }, given) =>
          readPrompt(await options.mcp.of(workspace).getPrompt(server, name, given), options.blobs),
      },
      mentions,
      checkAgent: (workspace, name) => agentBook.find(workspace, name),
      checkModel: (id) => models.resolveChatModel(id),
    }),
    commands: {
      builtIns,
      store,
      models,
      agentBook,
      setMode: permissions.setMode,
      state: options.state,
      skills,
      ownCommands,
      workspace: options.workspace,
    },
  }
}
