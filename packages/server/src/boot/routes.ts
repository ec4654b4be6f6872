import { configRoutes } from '../admin/config-routes.ts'
import { dataRoutes } from '../admin/data-routes.ts'
import { instructionRoutes } from '../admin/instruction-routes.ts'
import { agentRoutes } from '../agents/agent-routes.ts'
import { taskRoutes } from '../agents/agent-states.ts'
import { printRoutes } from '../browser/print-routes.ts'
import { readerRoutes } from '../browser/reader-routes.ts'
import { chatRoutes } from '../chat/chat-routes.ts'
import { checkpointRoutes } from '../checkpoints/checkpoint-routes.ts'
import { commandRoutes } from '../commands/command-routes.ts'
import { hookRoutes, toolRoutes } from '../extensions/workspace-extensions.ts'
import { committedFiles } from '../git/committed-files.ts'
import { gitRoutes } from '../git/git-routes.ts'
import { editRoutes } from '../files/edit-routes.ts'
import { documentRoutes } from '../files/document-routes.ts'
import { fileRoutes } from '../files/file-routes.ts'
import { auditRoutes } from '../governance/audit-routes.ts'
import { personRoutes } from '../governance/person-routes.ts'
import { limitRoutes, policyRoutes } from '../governance/policy-routes.ts'
import { secretRoutes } from '../governance/secret-routes.ts'
import { type Access, authRoutes, meRoutes } from '../http/access.ts'
import { healthRoutes } from '../http/open-api.ts'
import type { Route } from '../http/route.ts'
import type { OpenWorkspace } from '../http/scope.ts'
import { lspRoutes } from '../lsp/lsp-routes.ts'
import { queryRoutes } from '../query/query-routes.ts'
import { toolCallRoutes } from '../mcp-server/call-tool.ts'
import { mcpRoutes } from '../mcp/mcp-routes.ts'
import { mediaRoutes } from '../media/media-routes.ts'
import { voiceRoutes } from '../media/voice-routes.ts'
import { modelRoutes, providerRoutes } from '../models/provider-routes.ts'
import { ruleRoutes } from '../rules/rule-routes.ts'
import { askRoutes, toolAckRoutes } from '../runs/asks.ts'
import { blobRoutes } from '../blobs/blob-routes.ts'
import { changeRoutes } from '../sessions/changes.ts'
import { contextRoutes } from '../sessions/context-routes.ts'
import { feedbackRoutes } from '../sessions/feedback-routes.ts'
import { debugRoutes, messageRoutes } from '../sessions/message-routes.ts'
import { artifactRoutes } from '../sessions/artifact-routes.ts'
import { sessionFileRoutes } from '../sessions/session-files.ts'
import { folderRoutes, sessionRoutes } from '../sessions/session-routes.ts'
import { skillRoutes } from '../skills/skill-imports.ts'
import { tabRoutes } from '../tabs/page-calls.ts'
import { terminalRoutes } from '../terminals/terminal-routes.ts'
import { describeTurn } from '../http/turn-description.ts'
import type { TicketPlace } from '../terminals/terminal-socket.ts'
import type { Tickets } from '../http/tickets.ts'
import { joinRoutes } from '../joined/join-socket.ts'
import { operationRoutes } from '../operations/operation-routes.ts'
import { publishRoutes } from '../transfer/publish/publish-routes.ts'
import { transferRoutes } from '../transfer/transfer-routes.ts'
import { usageRoutes } from '../usage/usage-routes.ts'
import { worktreeRoutes } from '../worktrees/worktree-routes.ts'
import { createKeyedMutex } from '../util/concurrency.ts'
import { projectRoutes } from '../workspaces/project-routes.ts'
import { workspaceRoutes } from '../workspaces/workspace-routes.ts'
import { version } from './server.ts'
import type { Services } from './services.ts'

export interface RouteServices extends Services {
  access: Access
  openWorkspace: OpenWorkspace
  tickets: Tickets<TicketPlace>
  ownPort: () => number
  uploads: string
}

/** Creates all routes without using the services, so the API reference can be generated without a server. */
export function createRoutes(services: RouteServices, team?: Route[]): Route[] {
  const lock = createKeyedMutex()
  const routes: Route[] = [
    // People sign in with accounts instead.
    ...(team ?? authRoutes(services)),
    ...meRoutes(services),
    ...chatRoutes({ ...services, lock, describeTurn: services.cluster && describeTurn }),
    ...sessionRoutes({ ...services, lock }),
    ...messageRoutes({ ...services, lock }),
    ...feedbackRoutes({ ...services, lock }),
    ...changeRoutes(services),
    ...checkpointRoutes({ ...services, committed: committedFiles(services.env, services.folderIsolation) }),
    ...folderRoutes(services),
    ...gitRoutes(services),
    ...fileRoutes(services),
    ...documentRoutes(services),
    ...editRoutes(services),
    ...worktreeRoutes(services),
    ...publishRoutes(services),
    ...transferRoutes(services),
    ...agentRoutes(services),
    ...contextRoutes(services),
    ...askRoutes(services),
    ...ruleRoutes(services),
    ...blobRoutes(services),
    ...modelRoutes(services),
    ...mediaRoutes(services),
    ...voiceRoutes(services),
    ...providerRoutes(services),
    ...configRoutes(services),
    ...instructionRoutes(services),
    ...toolRoutes(services),
    ...commandRoutes(services),
    ...skillRoutes(services),
    ...hookRoutes(services),
    ...dataRoutes(services),
    ...toolCallRoutes(services),
    ...mcpRoutes(services),
    ...toolAckRoutes(services),
    ...tabRoutes(services),
    ...taskRoutes(services),
    ...terminalRoutes(services),
    ...joinRoutes(services),
    ...sessionFileRoutes(services),
    ...lspRoutes(services),
    ...queryRoutes(services),
    ...artifactRoutes(services),
    ...printRoutes(services),
    ...readerRoutes(services),
    ...usageRoutes(services),
    ...auditRoutes(services),
    ...secretRoutes(services),
    ...policyRoutes(services),
    ...limitRoutes(services),
    ...personRoutes(services),
    ...workspaceRoutes(services),
    ...projectRoutes(services),
    ...debugRoutes(services),
    ...operationRoutes({ ...services, version }),
    ...healthRoutes({ version, routes: () => routes }),
  ]
  return routes
}
