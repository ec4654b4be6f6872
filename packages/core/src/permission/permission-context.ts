import type { AgentState } from '../agent-state.ts'
import { realPath } from '../files/resolve-path.ts'

/** All that decisions need to know of the place of a call. A `ToolContext` is one. */
export interface PermissionContext {
  state: Pick<AgentState, 'cwd' | 'roots' | 'readable'> & Partial<Pick<AgentState, 'env' | 'sandboxEnv' | 'jsxFolder'>>
}

/** A place without an agent: for explaining rules, and for calls of the past. */
export function placeContext(
  cwd: string,
  roots: readonly string[] = [cwd],
  readable: readonly string[] = [],
): PermissionContext {
  const real = (folder: string): string => realPath(folder).path
  return { state: { cwd: real(cwd), roots: roots.map(real), readable: readable.map(real) } }
}
