import { accountEndpoints, deviceEndpoints, meEndpoints, signInEndpoints } from './team/account.ts'
import { agentEndpoints, taskEndpoints } from './http/agents.ts'
import { askEndpoints } from './http/asks.ts'
import { changeEndpoints } from './http/changes.ts'
import { chatEndpoints } from './http/chat.ts'
import { commandEndpoints } from './http/commands.ts'
import { configEndpoints, instructionEndpoints } from './http/config.ts'
import { contextEndpoints, usageEndpoints } from './http/context.ts'
import type { AnswerOf, BodyInputOf, ParamsOf, QueryInputOf } from './http/endpoint.ts'
import { fileEditEndpoints, fileEndpoints } from './http/files.ts'
import { gitChangeEndpoints, gitEndpoints, worktreeEndpoints } from './http/git.ts'
import { auditEndpoints, personDataEndpoints, secretEndpoints } from './team/governance.ts'
import { limitEndpoints } from './team/limits.ts'
import { operationEndpoints } from './team/operations.ts'
import { policyEndpoints } from './team/policy.ts'
import { hookEndpoints, toolCallEndpoints, toolEndpoints } from './http/extensions.ts'
import { mcpEndpoints } from './http/mcp.ts'
import { blobEndpoints, mediaEndpoints, voiceEndpoints } from './http/media.ts'
import { feedbackEndpoints, messageEndpoints } from './http/messages.ts'
import { grantEndpoints, memberEndpoints } from './team/organization.ts'
import { modelEndpoints, providerEndpoints } from './http/providers.ts'
import { ruleEndpoints } from './http/rules.ts'
import { authEndpoints, dataEndpoints, healthEndpoints } from './http/server.ts'
import { artifactEndpoints, documentEndpoints, sessionFileEndpoints } from './http/session-files.ts'
import { debugEndpoints, folderEndpoints, sessionEndpoints } from './http/sessions.ts'
import { commentEndpoints, sharingEndpoints } from './team/sharing.ts'
import { skillEndpoints } from './http/skills.ts'
import { readerEndpoints, tabEndpoints, toolAckEndpoints } from './http/tabs.ts'
import { terminalEndpoints } from './http/terminals.ts'
import { codeEndpoints, projectEndpoints, queryEndpoints, workspaceEndpoints } from './http/workspaces.ts'
import { publishEndpoints, transferEndpoints } from './http/transfer.ts'

/** Every endpoint of the server, by method and path. */
export const contract = {
  ...accountEndpoints,
  ...agentEndpoints,
  ...artifactEndpoints,
  ...askEndpoints,
  ...auditEndpoints,
  ...authEndpoints,
  ...blobEndpoints,
  ...changeEndpoints,
  ...chatEndpoints,
  ...commandEndpoints,
  ...configEndpoints,
  ...contextEndpoints,
  ...dataEndpoints,
  ...debugEndpoints,
  ...documentEndpoints,
  ...feedbackEndpoints,
  ...fileEditEndpoints,
  ...fileEndpoints,
  ...folderEndpoints,
  ...gitChangeEndpoints,
  ...gitEndpoints,
  ...worktreeEndpoints,
  ...healthEndpoints,
  ...hookEndpoints,
  ...instructionEndpoints,
  ...mcpEndpoints,
  ...mediaEndpoints,
  ...messageEndpoints,
  ...modelEndpoints,
  ...limitEndpoints,
  ...operationEndpoints,
  ...personDataEndpoints,
  ...policyEndpoints,
  ...projectEndpoints,
  ...providerEndpoints,
  ...publishEndpoints,
  ...queryEndpoints,
  ...readerEndpoints,
  ...ruleEndpoints,
  ...secretEndpoints,
  ...sessionFileEndpoints,
  ...sessionEndpoints,
  ...skillEndpoints,
  ...tabEndpoints,
  ...toolAckEndpoints,
  ...taskEndpoints,
  ...terminalEndpoints,
  ...toolCallEndpoints,
  ...toolEndpoints,
  ...transferEndpoints,
  ...voiceEndpoints,
  ...usageEndpoints,
  ...workspaceEndpoints,
  ...codeEndpoints,
  ...commentEndpoints,
  ...deviceEndpoints,
  ...grantEndpoints,
  ...meEndpoints,
  ...memberEndpoints,
  ...sharingEndpoints,
  ...signInEndpoints,
}

export type Contract = typeof contract

type Required<Name extends string, Value> = [Value] extends [undefined] ? unknown : { [Key in Name]: Value }

/** Input that a client passes to an endpoint. */
export type CallOf<Key extends keyof Contract> = (keyof ParamsOf<Key> extends never
  ? unknown
  : { params: ParamsOf<Key> }) &
  Required<'body', BodyInputOf<Contract[Key]>> & { query?: QueryInputOf<Contract[Key]> }

/** Response of an endpoint. */
export type Answered<Key extends keyof Contract> = AnswerOf<Contract[Key]>
