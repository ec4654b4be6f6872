import { realpathSync } from 'node:fs'
import type { AgentState } from '../agent-state.ts'
import { isInside } from '../files/resolve-path.ts'
import { isDangerousName } from '../permission/command/environment.ts'
import type { Confinement } from '../permission/decision.ts'
import type { ToolContext } from '../tool.ts'
import { childEnvironment, confinedEnvironment, exportedVariables } from './child-environment.ts'
import { parseExports } from './parse-exports.ts'
import { workingFolder } from './working-folder.ts'

/** Takes over folder and exports from the last words of a shell. A shell that had none changes nothing. */
export function rememberShellState(
  state: AgentState,
  lastWords: string,
  { confinement, isUnasked }: { confinement: Confinement; isUnasked: boolean },
  notes: string[],
): void {
  const [folder, exports, rest] = lastWords.split('\0')
  if (folder === undefined || exports === undefined || rest === undefined) return
  const { env, dropped } = exportedVariables(
    parseExports(exports),
    confinement === 'none' ? childEnvironment() : confinedEnvironment(),
  )
  if (isUnasked && confinement === 'none') forgetDangerous(state, env, notes)
  rememberExports(state, env, confinement)
  if (dropped.length > 0) notes.push(`Too long to be kept for the next command: ${dropped.join(', ')}.`)
  const cwd = realFolder(folder.replace(/\n$/, ''))
  if (cwd === state.cwd) return
  if (cwd !== '' && state.roots.some((root) => isInside(cwd, root))) {
    state.cwd = cwd
    notes.push(`The working directory is now ${cwd}.`)
    return
  }
  const why = cwd === '' ? 'the one it changed to is gone' : `${cwd} is outside the workspace`
  notes.push(`The working directory was reset to ${workingFolder(state, notes)}: ${why}.`)
}

/**
 * What a command that nobody was asked about leaves behind must not change what later ones do: those are decided on by
 * what they say, as if nothing had come before them.
 */
function forgetDangerous(state: AgentState, env: Record<string, string>, notes: string[]): void {
  const names = Object.keys(env).filter((name) => isDangerousName(name) && env[name] !== state.env[name])
  for (const name of names) {
    const before = state.env[name]
    if (before === undefined) delete env[name]
    else env[name] = before
  }
  if (names.length > 0)
    notes.push(`Not kept for the next command, since nobody was asked about this one: ${names.join(', ')}.`)
}

/** Whether a call runs without the word of a person, in a mode in which that matters. */
export function runsWithoutApproval({ granted, mode }: Pick<ToolContext, 'granted' | 'mode'>): boolean {
  return granted !== undefined && granted.approved !== true && mode?.get() !== 'bypass'
}

/** What is exported inside the sandbox stays there: it could make a program outside do anything. */
function rememberExports(state: AgentState, env: Record<string, string>, confinement: Confinement): void {
  if (confinement !== 'none') {
    state.sandboxEnv = env
    return
  }
  if (state.sandboxEnv !== undefined) {
    const inside = { ...state.sandboxEnv }
    for (const name of new Set([...Object.keys(state.env), ...Object.keys(env)])) {
      if (state.env[name] === env[name]) continue
      if (env[name] === undefined) delete inside[name]
      else inside[name] = env[name]
    }
    state.sandboxEnv = inside
  }
  state.env = env
}

/** Where a folder really is: what a shell says about itself may be what its command wrote. Empty when it is gone. */
function realFolder(folder: string): string {
  try {
    return folder === '' ? '' : realpathSync.native(folder)
  } catch {
    return ''
  }
}
