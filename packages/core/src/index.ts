export { agentKey } from './sub-agents/load-agents.ts'
export type { AgentDefinition, AgentType, Budget } from './agents/agent-definition.ts'
export type { AgentFrame } from './tool/services.ts'
export {
  arrangeAgents,
  getBuiltinAgents,
  loadAgents,
  parseClaudeAgent,
  promptIn,
  promptNote,
} from './sub-agents/load-agents.ts'
export type { AgentEntry, AgentSource, LoadedAgents } from './sub-agents/load-agents.ts'
export type { AgentState, FileStamp } from './tool/agent-state.ts'
export { answerProblem } from './tool/asks.ts'
export type { Answer, Ask, AskKind, Asks } from './tool/asks.ts'
export type { DocumentLayout, LayoutBlock, LayoutCell, LayoutParagraph, LayoutRun, LayoutTable } from '@troupe/protocol'
export type {
  AttachedFile,
  Attachments,
  DocumentFile,
  DocumentFormat,
  DocumentImage,
  DocumentPart,
  Documents,
  DocumentText,
  HtmlRequest,
  OfficeEdit,
  OfficeFormat,
  OfficeRequest,
  PagePrinter,
} from './tool/documents.ts'
export type {
  Queries,
  QueryCall,
  QueryColumn,
  QueryConnection,
  QueryFile,
  QuerySave,
  QueryRequest,
  QueryResult,
  QuerySource,
  QueryType,
  QueryWrite,
  SavedQuery,
} from './tool/queries.ts'
export { isDatabasePath, resolveQueryFiles } from './search/query-files.ts'
export { type SqlDialect, sqlString, type SqlToken, sqlTokens } from './text/sql-tokens.ts'
export type {
  EditedPicture,
  PictureAction,
  PictureEditor,
  PictureFormat,
  PictureRequest,
} from './tool/picture-actions.ts'
export { convertOffice, findLibreOffice } from './office/libreoffice.ts'
export type { OfficeAction, OfficeActionOf } from './tool/office-actions.ts'
export type { Blobs, CodeAnswer, CodeIntelligence, CodeQuestion } from './tool/services.ts'
export type {
  Browser,
  BrowserCall,
  BrowserPage,
  OutlineNode,
  PageAct,
  PageCondition,
  PageLook,
  PagePicture,
} from './tool/tool.ts'
export { elementText, outlineOf } from './browser/outline.ts'
export type { GeneratedMedia } from './media/make-media.ts'
export { targetNames } from './media/make-media.ts'
export type {
  Media,
  MediaErrorCode,
  MediaFile,
  MediaKind,
  MediaRequest,
  DescribedImage,
  ImageDescription,
  MediaTask,
  Transcript,
  Transcription,
  Vision,
  VisionChat,
} from './tool/services.ts'
export { TokenGauge } from './prompt/apply-compactions.ts'
export { toolTokens } from './tool/tool-set.ts'
export { applyTrim } from './prompt/apply-compactions.ts'
export { compactRun } from './run/compact.ts'
export { expandCommand } from './commands/find-commands.ts'
export { commandPlaces, findCommands, readCommandBody } from './commands/find-commands.ts'
export type { CommandPlace, FoundCommands, OwnCommand } from './commands/find-commands.ts'
export { childEnvironment } from './process/child-environment.ts'
export { endCommand } from './process/processes.ts'
export { findBash, findProgram, isProgram, queueStart, startProcess } from './process/start-process.ts'
export { acceptedLines } from './files/hunks.ts'
export { hunksOf } from './text/diff.ts'
export type { Hunk } from './text/diff.ts'
export { editText } from './run/edit-text.ts'
export { makeTitle } from './run/make-title.ts'
export { askModel, describeImage } from './run/ask-model.ts'
export { parseCommand } from './commands/find-commands.ts'
export type { ParsedCommand } from './commands/find-commands.ts'
export { createAgentState, disposeAgentState } from './run/create-agent-state.ts'
export { readAgentsNotes, type AgentsNote } from './files/agents-md.ts'
export { markOf } from './files/undo-folder.ts'
export { fileKind, headLength, imageSize, mediaProblem } from './files/file-kind.ts'
export { changeFiles, withPathLocks } from './files/file-transaction.ts'
export { loadIgnoreRules } from './files/list-folder.ts'
export { openFile, readOpenFile, sha256Of, takeSnapshot } from './files/snapshot.ts'
export type { Snapshot } from './files/snapshot.ts'
export { isInside, realPath, resolvePath, shownPath } from './files/resolve-path.ts'
export { makeTemporaryFolder, spill } from './files/temporary-files.ts'
export { openUndoFolder } from './files/undo-folder.ts'
export { undoable } from './tool/undo-journal.ts'
export { fileFacts } from './files/undo-folder.ts'
export type { Change, ChangeMark, RanCommand, UndoJournal, UndoOutcome } from './tool/undo-journal.ts'
export { createHooks, hooksConfigSchema } from './hooks/load-hooks.ts'
export type { HooksConfig } from './hooks/load-hooks.ts'
export { defineHook } from './hooks/hook.ts'
export type { Hook, HookAnswer, HookDefinition, HookEvent, HookOccasion } from './hooks/hook.ts'
export { loadHooks } from './hooks/load-hooks.ts'
export { defaultHookMs, hookEvents } from './hooks/hook.ts'
export { limitBody } from './mcp/create-transport.ts'
export { loadFolder, loadFolderSync } from './tool/load-folder.ts'
export type { Loaded } from './tool/load-folder.ts'
export { createTransport } from './mcp/create-transport.ts'
export { askForChallenge, loginToMcp } from './mcp/create-transport.ts'
export type { McpChallenge, McpLogin } from './mcp/create-transport.ts'
export { mcpLimits } from './mcp/server-config.ts'
export type { McpLimits } from './mcp/server-config.ts'
export { createMcpServer } from './mcp/mcp-server.ts'
export type { McpServer, McpState } from './mcp/mcp-server.ts'
export { mcpToolName } from './mcp/mcp-tool.ts'
export type { McpConnection } from './mcp/open-connection.ts'
export { readPrompt } from './mcp/read-result.ts'
export type { PromptPicture } from './mcp/read-result.ts'
export { createResourceTools } from './mcp/resource-tools.ts'
export { deferToCore, deferTools, shownTools } from './tool/tool-set.ts'
export type { Offers } from './tool/tool-set.ts'
export { mcpFingerprint, mcpServersSchema, parseMcpEntry, resolveMcpEntry } from './mcp/server-config.ts'
export type { McpClient, McpServerConfig } from './mcp/server-config.ts'
export { mentionsIn } from './commands/mentions.ts'
export type { Mention } from './commands/mentions.ts'
export { indexPaths, rankPaths, startRanking } from './commands/mentions.ts'
export type { PathIndex } from './commands/mentions.ts'
export { readMention } from './commands/mentions.ts'
export { decide, decideCall } from './permission/decide.ts'
export { activeSkillLimits } from './permission/policy.ts'
export type { Access, CommandAccess } from './access/decision.ts'
export { compileRules } from './permission/policy.ts'
export { coveredAsks } from './permission/explain-call.ts'
export type { OpenCall } from './permission/explain-call.ts'
export { createPolicy } from './permission/policy.ts'
export type { Confinement, Decision, Grant } from './access/decision.ts'
export { explainCall } from './permission/explain-call.ts'
export { parseRule, ruleWarning } from './permission/parse-rule.ts'
export type { Rule } from './permission/parse-rule.ts'
export { placeContext } from './permission/path-facts.ts'
export type { PermissionContext } from './permission/path-facts.ts'
export { modes } from './access/decision.ts'
export type { Policy } from './permission/policy.ts'
export type { Mode } from './access/decision.ts'
export { simulate } from './permission/explain-call.ts'
export type { PastCall, Simulation } from './permission/explain-call.ts'
export type { Layer, RuleLine, RuleProblem, RuleSet } from './permission/policy.ts'
export type { Effect } from './access/decision.ts'
export { agentNamePattern, parseAgentFile, splitFrontMatter } from './agents/agent-definition.ts'
export { pickTools, unknownTools } from './tool/tool-set.ts'
export { artifactsFolder, isJsxFile, listVersions, previewKinds, readVersion } from './page/artifacts.ts'
export type { ArtifactVersion } from './page/artifacts.ts'
export { checkJsx, jsxProblemText } from './page/check-jsx.ts'
export { planFileOf, planInstructions } from './tool/agent-state.ts'
export { maskKeys } from './model/error-facts.ts'
export { redact } from './text/format.ts'
export { RunEmitter } from './run/run-input.ts'
export type { RunEventMap, RunEventName, RunEvents } from './run/run-input.ts'
export { applyCompactions } from './prompt/apply-compactions.ts'
export { describeProviderError } from './model/provider-error.ts'
export { promptTokens, roughPromptTokens } from './prompt/apply-compactions.ts'
export type { SpendGuard, SpendRequest, SpendTicket } from './model/spend-guard.ts'
export { costOf } from './model/check-answer.ts'
export type { Price } from './model/check-answer.ts'
export { isUnfinished } from './model/check-answer.ts'
export type { ErrorPlace, ProviderErrorData, ProviderErrorName } from './model/provider-error.ts'
export { abortReason, shutdown, stopNow } from './tool/abort-reason.ts'
export { checkInput } from './tool/parse-call.ts'
export { processMark } from './process/start-process.ts'
export { processStartTime } from './process/start-process.ts'
export { blobHash, project } from './prompt/project.ts'
export type { FileKind } from './prompt/inline-file.ts'
export { readResume } from './run/resume.ts'
export type { Resume } from './run/resume.ts'
export { run } from './run/run.ts'
export type { RunOutcome } from './run/run.ts'
export { defaultLimits } from './run/run-input.ts'
export type { LearnedModelFacts, Limits, RunInput } from './run/run-input.ts'
export { askTimeout, longestAskMs } from './store/memory.ts'
export { createMemoryAsks } from './store/memory.ts'
export { createMemoryLog } from './store/memory.ts'
export type { MemoryLog } from './store/memory.ts'
export { createWriteLock } from './run/tree-state.ts'
export type { WriteLock } from './run/tree-state.ts'
export { createProcessPool } from './process/process-pool.ts'
export type { ProcessPool } from './process/process-pool.ts'
export { startWarden } from './process/warden.ts'
export { sendSignalTo } from './process/processes.ts'
export { listFiles } from './search/search-query.ts'
export { offeredControllers } from './isolation/control-groups.ts'
export { isolatedStart } from './isolation/isolated-start.ts'
export { isolatePeople, isReachable, isTraversable, personHome } from './isolation/isolate-people.ts'
export type { People } from './isolation/isolate-people.ts'
export type { Isolation, PersonNetwork, ProcessUser, ResourceLimits } from './tool/isolation.ts'
export { findSandbox } from './sandbox/find-sandbox.ts'
export type { SandboxFinding } from './sandbox/sandbox.ts'
export type { Sandbox } from './tool/isolation.ts'
export { openAgentSkills, skillIn } from './skills/agent-skills.ts'
export type { AgentSkills } from './tool/agent-state.ts'
export { createSkillFinder, readSkillBody } from './skills/find-skills.ts'
export type { FindSkills, FoundSkills } from './skills/find-skills.ts'
export { FileFault, parseSkillFile, readFrontMatter, skillNamePattern } from './skills/parse-skill-file.ts'
export { acceptSkills, dropStaged, stageSkills } from './skills/import-skills.ts'
export type { StagedSkills } from './skills/import-skills.ts'
export { findSkill, skillNames } from './skills/find-skills.ts'
export { skillPlaces } from './skills/find-skills.ts'
export type { SkillPlace } from './skills/find-skills.ts'
export { skillList } from './skills/agent-skills.ts'
export type { Skill, SkillProblem, SkillScope } from './tool/agent-state.ts'
export type * from './store/records.ts'
export type * from './store/store.ts'
export type { AgentHost, AgentLink, ChildRun, HostedRun } from './sub-agents/agent-host.ts'
export { finalText } from './sub-agents/agent-node.ts'
export { createAgentTree } from './sub-agents/agent-tree.ts'
export type { AgentTree } from './sub-agents/agent-tree.ts'
export type { TreeRun } from './sub-agents/agent-node.ts'
export type { AgentReport, Agents, AgentStatus, Refusal, SpawnRequest } from './tool/services.ts'
export { derivedId } from './sub-agents/agent-host.ts'
export { Meter } from './run/tree-state.ts'
export { createMemoryHost } from './sub-agents/run-with-agents.ts'
export type { MemoryHost, MemoryHostOptions } from './sub-agents/run-with-agents.ts'
export { runWithAgents } from './sub-agents/run-with-agents.ts'
export type { RunWithAgentsOptions } from './sub-agents/run-with-agents.ts'
export { checkTool, defineTool, toolKey, unwrapResult, withModelText } from './tool/tool.ts'
export { changeTasks, maxTaskCharacters, readTasks, type TaskChange, taskFile } from './files/task-file.ts'
export type { ProjectFacts, ProjectInfo, Projects } from './tool/projects.ts'
export type { AskRequest, Tool, ToolContext, ToolDefinition } from './tool/tool.ts'
export {
  buildTools,
  enabledTools,
  findTool,
  getBuiltinTools,
  getToolInfos,
  getTools,
  loadTools,
  toAnthropicTools,
} from './tool/tool-set.ts'
export type { ToolInfo } from './tool/tool-set.ts'
export { aliasKey, dialects, inDialect, ownTool, toolAliases } from './tool/tool-aliases.ts'
export { pageAddress } from './page/ask-page.ts'
export { checkedAddresses, refusalOf, type AddressGuard } from './web/url-guard.ts'
export { fetchError } from './web/url-guard.ts'
export { isSameHost } from './web/url-guard.ts'
export { parseUrl } from './web/url-guard.ts'
export { readWebPage, type WebPage } from './web/read-web-page.ts'
export type { Task } from './process/tasks.ts'
export * from '@troupe/protocol'
export { diffBytes } from './text/diff.ts'
export { compareNames } from './text/natural-order.ts'
export { decodeText, detectFormat, encodeText, utf8Format } from './text/encoding.ts'
export type { TextFormat } from './text/encoding.ts'
