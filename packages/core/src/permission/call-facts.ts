import type { CommandFact } from './path-fact.ts'
import { ownTool } from '../tool-aliases.ts'
import type { Tool } from '../tool.ts'
import { commandFact } from './command-fact.ts'
import { hostOf } from './host-pattern.ts'
import { pathView, toolPath, type PathFact, type PathView } from './path-fact.ts'
import type { PermissionContext } from './permission-context.ts'
import type { Policy } from './policy.ts'

/** Everything that rules and defaults are asked about, found out once for a call. */
export interface CallFacts {
  tool: Tool
  view: PathView
  paths: readonly PathFact[]
  commands: readonly CommandFact[]
  urls: readonly { url: string; host: string | undefined }[]
  names: readonly { kind: 'agent' | 'skill'; name: string }[]
  code: boolean
  /** Why it cannot be told what the call touches. */
  unknown?: string
}

export function callFacts(call: { tool: Tool; input: unknown }, ctx: PermissionContext, policy: Policy): CallFacts {
  const tool = ownTool(call.tool)
  const view = pathView(ctx, policy)
  const paths: PathFact[] = []
  const commands: CommandFact[] = []
  const urls: CallFacts['urls'][number][] = []
  const names: CallFacts['names'][number][] = []
  const facts: CallFacts = { tool, view, paths, commands, urls, names, code: false }
  const { cwd } = ctx.state
  try {
    for (const access of tool.touches?.(call.input, { cwd }) ?? []) {
      switch (access.kind) {
        case 'read':
        case 'write':
          paths.push(toolPath(access.kind, access.path, cwd, view))
          break
        case 'url':
          urls.push({ url: access.url, host: hostOf(access.url) })
          break
        case 'code':
          facts.code = true
          break
        case 'agent':
        case 'skill':
          names.push({ kind: access.kind, name: access.name })
          break
        case 'command': {
          const fact = commandFact(access, ctx, { view, policy })
          commands.push(fact)
          paths.push(...fact.paths)
          break
        }
        default:
          throw new Error(`it names "${String((access as { kind: unknown }).kind)}", which is no kind of access`)
      }
    }
  } catch (error) {
    return { ...facts, unknown: `${tool.name} cannot tell what it will touch: ${(error as Error).message}` }
  }
  return facts
}
