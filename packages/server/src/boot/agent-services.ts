import { openInstructions } from '../admin/instruction-routes.ts'
import { createAgentRegistry } from '../agents/agent-registry.ts'
import type { AgentStates } from '../agents/agent-states.ts'
import { noChromium } from '../browser/find-chromium.ts'
import { createTypedAddresses } from '../chat/chat-request.ts'
import { openCommands } from '../commands/open-commands.ts'
import type { Home } from '../config/home.ts'
import type { WorkspaceTools } from '../extensions/workspace-extensions.ts'
import { describeServers } from '../mcp/server-status.ts'
import { type PrefaceOptions, serversLayer, skillsLayer } from '../runs/system-prompt.ts'
import { openContext } from '../sessions/context.ts'
import { createSkillImports } from '../skills/skill-imports.ts'
import { createSkillRegistry } from '../skills/skill-registry.ts'
import type { Spending } from '../usage/spending.ts'
import type { openFoundation } from './foundation.ts'
import type { openWorkspaceServices } from './workspace-services.ts'

type AgentServicesContext = Awaited<ReturnType<typeof openFoundation>> &
  Awaited<ReturnType<typeof openWorkspaceServices>> & {
    home: Home
    /** Closes the service with the server. */
    closing: <T extends { close(): unknown }>(service: T) => T
    spending: Spending
    states: AgentStates
    tools: WorkspaceTools
    systemOf: PrefaceOptions['systemOf']
    notesOf: PrefaceOptions['notesOf']
  }

/** Opens what shapes an agent's work: definitions, skills, the system prompt, commands. */
export async function openAgentServices(options: AgentServicesContext) {
  const { home, closing, spending, states, tools, systemOf, notesOf } = options
  const { blobs, config, folderStates, logger, models, sandbox, store } = options
  const { mcp, permissions, personHome, workspaces } = options
  const { responds } = folderStates
  const agents = createAgentRegistry({
    home: home.path,
    personHome,
    store,
    config,
    tools,
    why: (group) => (group === 'browser' ? noChromium : undefined),
    responds,
  })
  const skills = createSkillRegistry({
    home: home.path,
    personHome,
    store,
    disabled: () => config.get().disabledSkills ?? [],
    responds,
  })
  const skillImports = closing(createSkillImports(home.path))
  const context = openContext({
    store,
    home: home.path,
    personHome,
    layers: [
      { name: skillsLayer, text: skills.text },
      { name: serversLayer, text: (_, workspace) => describeServers(mcp.of(workspace).servers()) },
    ],
    agents: (workspace) => agents.offered(workspace, { anyPage: true }),
    sandbox,
    logger,
    permissions,
    states,
    systemOf,
    notesOf,
  })
  const instructions = await openInstructions({ store, home: home.path, personHome, agents, context })
  const typedAddresses = createTypedAddresses(home.token)
  const commands = openCommands({
    store,
    responds,
    home: home.path,
    models,
    spending,
    agents,
    permissions,
    skills,
    mcp,
    blobs,
    states,
    tools,
    workspaces,
  })
  return { agents, skills, skillImports, context, instructions, typedAddresses, commands }
}
