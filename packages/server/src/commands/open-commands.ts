import {
  commandPlaces,
  findCommands,
  placeContext,
  type AgentState,
  type FoundCommands,
  type Session,
  type Store,
  type Tool,
  type Workspace,
} from '@troupe/core'
import type { AgentBook } from '../agent-book.ts'
import type { Models } from '../models.ts'
import type { Permissions } from '../permission/permissions.ts'
import type { SkillBook } from '../skills/skill-book.ts'
import type { MentionPlace } from './bring-mentions.ts'
import { builtInNames, builtIns } from './built-ins.ts'
import type { CommandContext } from './command.ts'
import { createMessageTaker, type TakeMessage } from './take-message.ts'

export interface CommandParts {
  takeMessage: TakeMessage
  commands: CommandContext & { workspace(session: Session): Promise<Workspace> }
  /** The person's own, and those of a trusted folder. */
  ownCommands(workspace: Workspace): FoundCommands
}

/** Everything that messages go through before they are stored. */
export function openCommands(options: {
  store: Store
  /** Ours. */
  home: string
  models: Models
  agentBook: AgentBook
  permissions: Permissions
  skillBook: SkillBook
  state(session: Session, workspace: Workspace): AgentState
  tools(workspaceId: string): readonly Tool[]
  /** With what it brings loaded. */
  workspace(of: { workspaceId: string }): Promise<Workspace>
}): CommandParts {
  const { store, home, models, agentBook, permissions, skillBook } = options
  const ownCommands = ({ path, trusted }: Workspace): FoundCommands =>
    findCommands(commandPlaces({ troupeHome: home, ...(trusted && { workspace: path }) }), builtInNames)
  const skills: CommandContext['skills'] = (workspace, session) => skillBook.of(workspace, session)

  const mentions = async (workspace: Workspace, session?: Session): Promise<MentionPlace> => ({
    workspacePath: workspace.path,
    agents: await agentBook.offered(workspace, {}),
    mayRead: ({ tool, path }) =>
      permissions.explain(
        { tool, input: tool === 'Read' ? { file_path: path } : { path } },
        {
          place: workspace,
          ctx: placeContext(workspace.path),
          policy: permissions.policy(workspace, session === undefined ? {} : { session }),
          tools: options.tools(workspace.id),
        },
      ),
  })
  return {
    ownCommands,
    takeMessage: createMessageTaker({
      workspace: (workspaceId) => options.workspace({ workspaceId }),
      skills: (workspace, session) => skillBook.of(workspace, session),
      ownCommands,
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
