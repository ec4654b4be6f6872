import { decideCall, openAgentSkills, type Session, type Workspace } from '@troupe/core'
import type { AgentRegistry } from '../agents/agent-registry.ts'
import type { AgentStates } from '../agents/agent-states.ts'
import type { TypedAddresses } from '../chat/user-message.ts'
import type { WorkspaceHooks, WorkspaceTools } from '../extensions/workspace-extensions.ts'
import type { Mcp } from '../mcp/open-mcp.ts'
import type { Permissions } from '../permission/permissions.ts'
import type { RunServices, SessionServices } from '../runs/run-services.ts'
import { sessionLanguage } from '../runs/system-prompt.ts'
import type { Context } from '../sessions/context.ts'
import type { SkillRegistry } from '../skills/skill-registry.ts'
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
}

/** Binds the services to a session and its workspace. */
export function sessionServices(services: WorkspaceServices): RunServices['session'] {
  const { tools, tabs, mcp, agents, context, permissions, hooks, typedAddresses, states, skills } = services
  return async (session): Promise<SessionServices> => {
    const workspace = await services.workspaces.of(session)
    const spoken = sessionLanguage(session)
    return {
      workspace,
      tools: () => tools.enabled(session.workspaceId),
      offers: (action) => tabs.offers(session.workspaceId, action),
      ready: () => mcp.ready(workspace),
      agent: (name) => agents.find(workspace, name, spoken.language),
      agents: (page) => agents.offered(workspace, { ...spoken, ...(page !== undefined && { page }) }),
      whyNoAgent: (name) => agents.whyNot(workspace, name),
      blocks: (frame, prompt, now) => context.blocks(session, workspace, frame, prompt, now),
      onStart: (call) => context.onStart(session, call),
      decide: (rules) => (call, ctx) => decideCall(call, ctx, permissions.sessionPolicy(session, rules)),
      mode: permissions.mode(session),
      hooks: () => hooks.of(permissions.placeOf(session)),
      noteUserHosts(history) {
        const typed = history.flatMap((message) => typedAddresses.read(session.id, message))
        permissions.noteUserHosts(session.id, typed)
      },
      state(agentId, history) {
        const state = states.of(session, workspace, agentId)
        openAgentSkills(state, history, () => skills.now(permissions.placeOf(session), session).skills)
        return state
      },
    }
  }
}
