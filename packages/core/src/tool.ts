/** Tool definitions, without the built-in tools. */
export type { Answer, Ask } from './tool/asks.ts'
export { getTools } from './tool/tool-set.ts'
export { checkTool, defineTool, isStringTool, toolKey } from './tool/tool.ts'
export type { Tool, ToolContext, ToolDefinition } from './tool/tool.ts'
