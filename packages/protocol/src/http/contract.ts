import { agentEndpoints, taskEndpoints } from './agents.ts'
import { askEndpoints } from './asks.ts'
import { changeEndpoints } from './changes.ts'
import { chatEndpoints } from './chat.ts'
import { commandEndpoints } from './commands.ts'
import { configEndpoints, instructionEndpoints } from './config.ts'
import { contextEndpoints, usageEndpoints } from './context.ts'
import type { AnswerOf, BodyInputOf, ParamsOf, QueryInputOf } from './endpoint.ts'
import { fileEditEndpoints, fileEndpoints } from './files.ts'
import { gitChangeEndpoints, gitEndpoints, worktreeEndpoints } from './git.ts'
import { hookEndpoints, toolCallEndpoints, toolEndpoints } from './extensions.ts'
import { mcpEndpoints } from './mcp.ts'
import { blobEndpoints, mediaEndpoints, voiceEndpoints } from './media.ts'
import { feedbackEndpoints, messageEndpoints } from './messages.ts'
import { modelEndpoints, providerEndpoints } from './providers.ts'
import { ruleEndpoints } from './rules.ts'
import { authEndpoints, dataEndpoints, healthEndpoints } from './server.ts'
import { artifactEndpoints, documentEndpoints, sessionFileEndpoints } from './session-files.ts'
import { debugEndpoints, folderEndpoints, sessionEndpoints } from './sessions.ts'
import { skillEndpoints } from './skills.ts'
import { readerEndpoints, tabEndpoints, toolAckEndpoints } from './tabs.ts'
import { terminalEndpoints } from './terminals.ts'
import { codeEndpoints, projectEndpoints, queryEndpoints, workspaceEndpoints } from './workspaces.ts'
import { publishEndpoints, transferEndpoints } from './transfer.ts'

/** Every endpoint of the server, by method and path. */
export const contract = {
  ...agentEndpoints,
  ...artifactEndpoints,
  ...askEndpoints,
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
  ...projectEndpoints,
  ...providerEndpoints,
  ...publishEndpoints,
  ...queryEndpoints,
  ...readerEndpoints,
  ...ruleEndpoints,
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
}

export type Contract = typeof contract

type Required<Name extends string, Value> = [Value] extends [undefined] ? unknown : { [Key in Name]: Value }

/** What a client passes to call an endpoint. */
export type CallOf<Key extends keyof Contract> = (keyof ParamsOf<Key> extends never
  ? unknown
  : { params: ParamsOf<Key> }) &
  Required<'body', BodyInputOf<Contract[Key]>> & { query?: QueryInputOf<Contract[Key]> }

/** What an endpoint answers. */
export type Answered<Key extends keyof Contract> = AnswerOf<Contract[Key]>
