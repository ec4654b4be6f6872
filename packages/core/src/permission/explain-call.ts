import { z } from 'zod'
import { checkInput, type Call } from '../run/parse-call.ts'
import { findTool } from '../tool-set.ts'
import { checkTool, defineTool, type Tool } from '../tool.ts'
import { decide } from './decide.ts'
import type { Decision } from './decision.ts'
import type { PermissionContext } from './permission-context.ts'
import type { Policy } from './policy.ts'

/**
 * What would be decided about a call that is known by its tool's name and its raw input. An input that the tool would
 * not take is denied, since such a call never runs. A tool that is not there counts as one that can change things.
 */
export function explainCall(
  call: Pick<Call, 'input'> & { tool: string },
  tools: readonly Tool[],
  ctx: PermissionContext,
  policy: Policy,
): Decision | Promise<Decision> {
  const tool = findTool(call.tool, tools) ?? unknownTool(call.tool)
  if (tool === undefined) return { decision: 'deny', reason: `"${call.tool}" is not the name of a tool.`, rule: null }
  const checked = checkInput(tool, call.input ?? {})
  if ('complaint' in checked) return { decision: 'deny', reason: checked.complaint, rule: null }
  return decide({ tool, input: checked.input }, ctx, policy)
}

const unknownTools = new Map<string, Tool | undefined>()

function unknownTool(name: string): Tool | undefined {
  if (unknownTools.size > 1000) unknownTools.clear()
  if (!unknownTools.has(name)) unknownTools.set(name, makeTool(name))
  return unknownTools.get(name)
}

function makeTool(name: string): Tool | undefined {
  const definition = defineTool({
    name,
    description: name,
    input: z.looseObject({}),
    readOnly: false,
    group: 'unknown',
    execute: () => Promise.reject(new Error(`There is no tool "${name}".`)),
  })
  try {
    return checkTool(definition, name)
  } catch {
    return undefined
  }
}
