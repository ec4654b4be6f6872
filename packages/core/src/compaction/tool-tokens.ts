import { buildTools } from '../tool-set.ts'
import type { Tool } from '../tool.ts'

const known = new WeakMap<Tool, number>()

/** What the descriptions and schemas of tools are estimated to cost in every call. */
export function toolTokens(tools: readonly Tool[]): number {
  let sum = 0
  for (const tool of tools) {
    let tokens = known.get(tool)
    if (tokens === undefined) {
      tokens = Math.ceil(JSON.stringify(buildTools([tool])).length / 4)
      known.set(tool, tokens)
    }
    sum += tokens
  }
  return sum
}
