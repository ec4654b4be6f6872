import { statSync } from 'node:fs'
import type { AgentState } from '../agent-state.ts'

/** Where a command runs: the agent's folder, or the workspace when that is gone. */
export function workingFolder(state: Pick<AgentState, 'cwd' | 'roots'>, notes: string[]): string {
  if (isFolder(state.cwd)) return state.cwd
  const workspace = state.roots[0] as string
  if (!isFolder(workspace)) throw new Error(`The workspace ${workspace} is gone, so nothing can run in it.`)
  notes.push(`The working directory ${state.cwd} is gone; it is ${workspace} again.`)
  state.cwd = workspace
  return workspace
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
