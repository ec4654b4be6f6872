import {
  type AgentDefinition,
  type AgentState,
  decideCall,
  openAgentSkills,
  type RunInput,
  type Session,
  type Workspace,
} from '@troupe/core'
import type { StoredMessage } from '@troupe/protocol'
import type { AgentRegistry } from '../agents/agent-registry.ts'
import type { AgentStates } from '../agents/agent-states.ts'
import type { TypedAddresses } from '../chat/chat-request.ts'
import type { WorkspaceHooks, WorkspaceTools } from '../extensions/workspace-extensions.ts'
import type { TeamIsolation } from '../isolation/open-isolation.ts'
import { isJoinedId } from '../util/joined-folder.ts'
import type { JoinedTools } from '../joined/joined-tools.ts'
import type { Mcp } from '../mcp/open-mcp.ts'
import type { Permissions } from '../permission/permissions.ts'
import type { ModelCallStart, RunServices, SeenDecision, SessionServices } from '../runs/run-services.ts'
import { sessionLanguage } from '../runs/system-prompt.ts'
import type { Context } from '../sessions/context.ts'
import type { SkillRegistry } from '../skills/skill-registry.ts'
import type { FolderStates } from '../workspaces/folder-states.ts'
import { SlowFolder } from '../workspaces/file-thread.ts'
import { scopeOf, toProjectInfo, type WorkspaceProjects } from '../workspaces/open-workspaces.ts'
import type { PageTabs } from '../tabs/page-tabs.ts'

interface WorkspaceServices {
  workspaces: { of(session: Session): Promise<Workspace> }
  tools: WorkspaceTools
  tabs: Pick<PageTabs, 'offers'>
  mcp: Pick<Mcp, 'ready'>
  agents: AgentRegistry
  context: Context
  permissions: Permissions
  hooks: WorkspaceHooks
  typedAddresses: TypedAddresses
  states: AgentStates
  skills: SkillRegistry
  projects: WorkspaceProjects
  folderStates: Pick<FolderStates, 'check' | 'responds'>
  isolation?: Pick<TeamIsolation, 'admit'> | undefined
  /** In team mode: tools in folders on members' computers. */
  joined?: Pick<JoinedTools, 'isRemote' | 'decide'> | undefined
  /** Sees each decision about a tool call. Only in team mode. */
  onDecision?: ((seen: SeenDecision) => void) | undefined
}

/** Binds the services to a session and its workspace. */
export function sessionServices(services: WorkspaceServices): RunServices['session'] {
  return async (session) => {
    const workspace = await services.workspaces.of(session)
    const { isolation } = services
    if (isolation !== undefined && !isJoinedId(workspace.id)) await isolation.admit(workspace.path)
    return new BoundServices(services, session, workspace)
  }
}

const slowReason = 'The folder of this chat does not respond. Tell the user, and try again later.'

/** A class, because prototype methods cost no memory per run and hundreds may be open. */
class BoundServices implements SessionServices {
  readonly workspace: Workspace
  readonly project: SessionServices['project']
  readonly projects: SessionServices['projects']
  readonly #services: WorkspaceServices
  readonly #session: Session

  constructor(services: WorkspaceServices, session: Session, workspace: Workspace) {
    this.#services = services
    this.#session = session
    this.workspace = workspace
    this.project = toProjectInfo(workspace.projects?.at(-1))
    this.projects = services.projects.of(workspace)
  }

  tools(): ReturnType<SessionServices['tools']> {
    return this.#services.tools.enabled(scopeOf(this.workspace))
  }

  offers(action: string): ReturnType<SessionServices['offers']> {
    return this.#services.tabs.offers(this.#session, action)
  }

  ready(): Promise<string | undefined> {
    return this.#services.mcp.ready(this.workspace)
  }

  agent(name: string): Promise<AgentDefinition> {
    return this.#services.agents.find(this.workspace, name, sessionLanguage(this.#session).language)
  }

  agents(page?: string): Promise<readonly AgentDefinition[]> {
    const spoken = sessionLanguage(this.#session)
    return this.#services.agents.offered(this.workspace, { ...spoken, page })
  }

  whyNoAgent(name: string): Promise<string | undefined> {
    return this.#services.agents.whyNot(this.workspace, name)
  }

  async blocks(...[frame, prompt, now]: Parameters<SessionServices['blocks']>): ReturnType<SessionServices['blocks']> {
    if (await this.#hangs()) throw new SlowFolder(this.workspace.path)
    const blocks = await this.#services.context.blocks(this.#session, this.workspace, frame, prompt, now)
    if (!this.#responds()) throw new SlowFolder(this.workspace.path)
    return blocks
  }

  onStart(call: ModelCallStart): void {
    this.#services.context.onStart(this.#session, call)
  }

  decide(...[rules, isCompared, person]: Parameters<SessionServices['decide']>): RunInput['decide'] {
    return async (call, ctx) => {
      const slow = { decision: 'deny', rule: null, reason: slowReason } as const
      if (await this.#hangs()) return slow
      const { permissions, joined } = this.#services
      const sessionPolicy = permissions.sessionPolicy(this.#session, rules)
      const policy = isCompared?.() === true ? { ...sessionPolicy, compared: true } : sessionPolicy
      const decideThere = joined?.isRemote(call.tool) === true ? joined.decide : decideCall
      const decided = await decideThere(call, ctx, policy)
      // Rules and paths may not have been readable.
      const decision = this.#responds() ? decided : slow
      this.#services.onDecision?.({ session: this.#session, person, call, ctx, decision })
      return decision
    }
  }

  #responds(): boolean {
    return this.#services.folderStates.responds(this.workspace.path)
  }

  async #hangs(): Promise<boolean> {
    return (await this.#services.folderStates.check(this.workspace.path)).state === 'slow'
  }

  mode(): NonNullable<RunInput['mode']> {
    return this.#services.permissions.mode(this.#session)
  }

  hooks(): NonNullable<RunInput['hooks']> {
    return this.#services.hooks.of(this.#services.permissions.placeOf(this.#session))
  }

  noteUserHosts(history: readonly StoredMessage[]): void {
    const { typedAddresses, permissions } = this.#services
    const typed = history.flatMap((message) => typedAddresses.read(this.#session.id, message))
    permissions.noteUserHosts(this.#session.id, typed)
  }

  state(...[owner, history]: Parameters<SessionServices['state']>): AgentState {
    const { states, skills, permissions } = this.#services
    const state =
      owner.column === undefined || owner.agentId !== undefined
        ? states.of(this.#session, this.workspace, owner.agentId)
        : states.column(this.#session, this.workspace, owner.column)
    openAgentSkills(state, history, () => skills.now(permissions.placeOf(this.#session), this.#session).skills)
    return state
  }
}
