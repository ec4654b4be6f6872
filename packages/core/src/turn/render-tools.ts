import { outputSchema } from '../output/output-schema.ts'
import type { OutputSource } from '../output/output-schema-types.ts'
import type { Tool } from '../tool.ts'
import type { ListedTool, ToolRegistry } from './tool-registry.ts'

/** Tools as a model without calls of its own reads them: fields with their types, in the notation of outputs. */
export function renderTools(registry: ToolRegistry, tags: readonly string[]): Record<string, unknown>[] {
  const listed = registry.list({ tags })
  return registry
    .tools(tags)
    .map((tool, index) => renderTool(tool, listed[index] as ListedTool, registry.returns(tool)))
}

function renderTool(
  tool: Tool,
  { description }: ListedTool,
  returns: OutputSource | undefined,
): Record<string, unknown> {
  return {
    name: tool.name,
    desc: description,
    kwargs: notation(tool.input as unknown as OutputSource),
    ...(returns !== undefined && { returns: notation(returns) }),
  }
}

function notation(source: OutputSource): string {
  return outputSchema(source).notation
}
