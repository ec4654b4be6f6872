import type { Hook } from './hook.ts'
import { aliasKey, ownTool } from '../tool-aliases.ts'
import { toolKey, type Tool } from '../tool.ts'

export interface PermissionCall {
  tool: Tool
  input: unknown
}

/** Where path rules of a hook start from. */
export interface MatchPlace {
  /** The folder that `/` starts from: the workspace, or the person's home. */
  base: string
  /** The person's home folder, for `~/`. */
  home: string
}

/** The part of a hook that says which calls it is about. */
export function matching(match: string | readonly string[] | undefined, _place: MatchPlace): Pick<Hook, 'meets'> {
  if (match === undefined) return {}
  const rules = typeof match === 'string' ? [match] : match
  return {
    meets({ tool }) {
      const own = toolKey(ownTool(tool).name)
      return rules.some((rule) => toolKey(rule) === own || aliasKey(rule) === own)
    },
  }
}
