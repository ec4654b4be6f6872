export { extractUrls, normalizeUrl, parseUrl } from './urls.ts'
export { chartProblem } from './ui/chart.ts'
export type { ChartOption } from './ui/chart.ts'
export { chartTable } from './ui/chart.ts'
export { cleanMessage, interruptedText } from './fold.ts'
export { dataParts, isStoredData } from './data-parts.ts'
export type { DataParts } from './data-parts.ts'
export type * from './display.ts'
export { editedText, isRefusedAnswer, partlyText } from './fold.ts'
export { createFold, foldChunks } from './fold.ts'
export type { Fold } from './fold.ts'
export { createReasoningNamer } from './message.ts'
export { idPattern, idSchema, isId, newId } from './ids.ts'
export { isSameOrigin } from './urls.ts'
export { sliceDelta, deltaText, itemSize, joinDeltas } from './run-log.ts'
export { visiblePieces, visibleText } from './visible-text.ts'
export type { Strictness, VisiblePiece } from './visible-text.ts'
export { paramProblem, modelParams } from './params.ts'
export type { Param, ParamValue, ParamValues } from './params.ts'
export { paramValuesSchema } from './params.ts'
export { parsePartialJson } from './fold-calls.ts'
export { questionsSchema } from './questions.ts'
export type { Question, QuestionAnswer } from './questions.ts'
export { isAnswered, readAnswers } from './questions.ts'
export { readJsx } from './ui/read-jsx.ts'
export { readPage } from './jsx/read-page.ts'
export { isInteractive, scriptTitle } from './jsx/interactive.ts'
export { createPageParts, isChartPart, pagePartNames } from './jsx/page-parts.ts'
export type { PageElement, PageNode } from './jsx/values.ts'
export type { JsxPage, ReadPage } from './jsx/read-page.ts'
export { escapeHtml, pageHtml } from './jsx/page-html.ts'
export type { IconShapes } from './jsx/page-html.ts'
export { iconName, iconNames } from './jsx/icon-names.ts'
export { pageTheme } from './jsx/page-theme.ts'
export type { JsxProblem, ReadJsx } from './ui/read-jsx.ts'
export * from './http/agents.ts'
export * from './http/access.ts'
export { accountEndpoints, deviceEndpoints, meEndpoints, signInEndpoints } from './team/account.ts'
export type { AccountSession, ApiToken, Me } from './team/account.ts'
export { grantEndpoints, memberEndpoints } from './team/organization.ts'
export type { Invitation, Member, WorkspaceGrant } from './team/organization.ts'
export { roles } from './team/people.ts'
export type { PersonInfo, Role, Scope } from './team/people.ts'
export { commentEndpoints, sharingEndpoints } from './team/sharing.ts'
export type { Comment, ShareRight, Sharing } from './team/sharing.ts'
export { terminalEndpoints, terminalMessageSchema } from './http/terminals.ts'
export type { TerminalEvent, TerminalInfo, TerminalMessage, WatchedState } from './http/terminals.ts'
export * from './http/chat.ts'
export * from './http/asks.ts'
export { authEndpoints } from './http/server.ts'
export type { PageCredential } from './http/server.ts'
export { changeEndpoints } from './http/changes.ts'
export type { BranchChanges, ChangedFile, ChangeTurn, CommandFile, Reverted } from './http/changes.ts'
export { configEndpoints, configFields, configListSchema } from './http/config.ts'
export type { ConfigInfo, ConfigPatch } from './http/config.ts'
export { contextEndpoints } from './http/context.ts'
export type { ContextPiece } from './http/context.ts'
export { dataEndpoints } from './http/server.ts'
export type { Backup, Finding, HomeUsage } from './http/server.ts'
export { debugEndpoints } from './http/sessions.ts'
export { folderEndpoints } from './http/sessions.ts'
export { gitChangeEndpoints, gitEndpoints, worktreeEndpoints } from './http/git.ts'
export type { GitDiff, GitFile, GitMark, GitReadyStatus, GitStatus, Worktree } from './http/git.ts'
export * from './team/governance.ts'
export * from './team/join.ts'
export * from './team/limits.ts'
export * from './team/operations.ts'
export * from './team/policy.ts'
export { healthEndpoints } from './http/server.ts'
export { hookEndpoints } from './http/extensions.ts'
export type { HookInfo } from './http/extensions.ts'
export { instructionEndpoints, maxEditedText } from './http/config.ts'
export type { InstructionFile, InstructionsInfo, MasterPrompt } from './http/config.ts'
export { blobEndpoints, mediaEndpoints, voiceEndpoints } from './http/media.ts'
export { feedbackEndpoints, feedbackSchema, messageEndpoints } from './http/messages.ts'
export type { ListedFeedback } from './http/messages.ts'
export type {
  DocumentLayout,
  LayoutBlock,
  LayoutCell,
  LayoutParagraph,
  LayoutRun,
  LayoutTable,
} from './document-layout.ts'
export { documentEndpoints, sessionFileEndpoints } from './http/session-files.ts'
export type { FilePreview, ReadDocument, SheetCells } from './http/session-files.ts'
export { sessionEndpoints } from './http/sessions.ts'
export type { ListedSession, SessionPage } from './http/sessions.ts'
export * from './http/mcp.ts'
export { modelEndpoints } from './http/providers.ts'
export type { ModelDefinition, ModelDraft, ModelInfo, ModelList } from './http/providers.ts'
export { providerEndpoints } from './http/providers.ts'
export type { ProviderInfo, ProviderTest } from './http/providers.ts'
export { toolEndpoints } from './http/extensions.ts'
export { usageEndpoints } from './http/context.ts'
export { queryEndpoints } from './http/workspaces.ts'
export type { UsageInfo, UsageTotal } from './http/context.ts'
export { budgetEvent, budgetPeriods, budgetWarningShare, readBudgetEvent } from './budget.ts'
export type { BudgetInfo, BudgetPeriod } from './budget.ts'
export {
  codeEndpoints,
  projectEndpoints,
  type ProjectTask,
  type RecentFolder,
  workspaceEndpoints,
} from './http/workspaces.ts'
export { wholeFolder } from './whole-folder.ts'
export { ruleEndpoints } from './http/rules.ts'
export type { DecisionInfo, RuleInfo, RuleList, RuleTrial } from './http/rules.ts'
export * from './http/commands.ts'
export * from './http/tabs.ts'
export * from './http/skills.ts'
export * from './http/tabs.ts'
export * from './http/agents.ts'
export * from './http/extensions.ts'
export * from './http/files.ts'
export * from './http/transfer.ts'
export { contract } from './contract.ts'
export type { Answered, CallOf, Contract } from './contract.ts'
export type {
  AnswerOf,
  BodyOf,
  Endpoint,
  EndpointKey,
  GivesResponse,
  Method,
  ParamsOf,
  QueryOf,
} from './http/endpoint.ts'
export { fieldsIn, initialValues, fieldLabel, fieldName, readForm } from './ui/ui-form.ts'
export type { FieldValue, FormAnswer } from './ui/ui-form.ts'
export { elementsIn, readUiTree } from './ui/ui-tree.ts'
export type { UiElement, UiNode, UiTree, UiTreeElement, UiValue } from './ui/ui-tree.ts'
export { stoppedText } from './fold.ts'
export { feedbackReasons, totalUsage } from './message.ts'
export { formatEvent, readEvents } from './run-log.ts'
export type { StreamEvent } from './run-log.ts'
export type {
  AgentMark,
  Author,
  Comparison,
  ComparedAnswer,
  CallNotes,
  Chunk,
  ErrorInfo,
  Feedback,
  FeedbackReason,
  Message,
  Metadata,
  Part,
  StoredMessage,
  Usage,
} from './message.ts'
export type {
  ChartDisplay,
  TableDisplay,
  DataChangeDisplay,
  DiffDisplay,
  Display,
  FolderDisplayEntry,
  ImageDisplay,
  ListDisplay,
  MatchesDisplay,
  MediaDisplay,
  PageDisplay,
  PagePicture,
  ResultsDisplay,
  TerminalDisplay,
} from './display.ts'
export { NamedError, errorInfo } from './error.ts'
export { splitAfterStep, stepNumbers } from './message.ts'
export type { Frame, LogItem, Note, NotedCall, RunLog, SteeringMessage } from './run-log.ts'
export { isForm } from './ui/ui-form.ts'
export { uiComponents, uiLimits } from './ui/ui-tree.ts'
export { estimateTokens } from './tokens.ts'
export { artifactEndpoints } from './http/session-files.ts'
export type { Artifact, ArtifactVersionInfo } from './http/session-files.ts'
export { cutTitle, documentTitle } from './ui/document-title.ts'
