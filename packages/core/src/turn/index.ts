/**
 * The library's turns: agents of a program, with answers that can be acted on before they end. `@troupe/core/turn`
 * loads neither tools nor anything of the workspace.
 */
export { Agent, createAgent } from './agent.ts'
export type { AgentOptions, CallSettings, Capabilities, Planning } from './agent-options.ts'
export type { AutoFunc, AutoFuncDefinition } from './auto-func.ts'
export { ChatSession, chatSession } from './chat-session.ts'
export type { ChatSessionOptions, SessionStore } from './chat-session.ts'
export type { Emission, Extension, TurnContext, TurnEnd, TurnEvent, TurnResult } from './extension.ts'
export { createMemoryStore } from './memory-store.ts'
export type { PromptFileOptions } from './prompt-file/load-prompt.ts'
export type { RecordMode } from './recording.ts'
export { defaultTitles } from './render-prompt.ts'
export type { PromptMessage, Roles, Titles } from './render-prompt.ts'
export type { Resize, ResizeResult, WindowLimits, WindowState } from './session-window.ts'
export { mergeValue } from './slots.ts'
export type { Attachment, HistoryMessage, Slots } from './slots.ts'
export type { ToolLog } from './tool-log.ts'
export { createToolRegistry } from './tool-registry.ts'
export type { FunctionTool, ListedTool, ToolFunction, ToolRegistry } from './tool-registry.ts'
export { Turn } from './turn.ts'
export type { RunOptions, TurnRun } from './turn-run.ts'
export type { McpTransport } from './use-mcp.ts'
export type { Completion, InstantEvent, PathStyle, ResetEvent } from '../output/instant-event.ts'
export type { Arrived, Handled, HandlerContext, KeyEvent, OutputKeys } from '../output/output-keys.ts'
export { createJsonReader } from '../output/create-json-reader.ts'
export type { IncrementalReader, JsonReaderOptions } from '../output/create-json-reader.ts'
export { retryText } from '../output/output-problem.ts'
export type { OutputProblem } from '../output/output-problem.ts'
export { outputSchema } from '../output/output-schema.ts'
export type { CheckedOutput, EnsureRule, OutputSchema, OutputSource } from '../output/output-schema-types.ts'
export { createOutputStream } from '../output/output-stream.ts'
export type {
  KeyValidator,
  OutputStream,
  OutputStreamOptions,
  ReadResult,
  Verdict,
} from '../output/output-stream-types.ts'
export { formatPath, parsePath, valuesAt, wildcard } from '../output/path.ts'
export type { PatternSegment, Segment } from '../output/path.ts'
export type { PathOf, ValidPath, ValueAt } from '../output/path-types.ts'
export type { Answer, Ask } from '../asks.ts'
export { NamedError } from '../error.ts'
export type { Message, StoredMessage, Usage } from '../protocol/message.ts'
export { defineTool } from '../tool.ts'
export type { Tool, ToolContext } from '../tool.ts'
