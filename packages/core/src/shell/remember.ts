import { realpathSync } from 'node:fs'
import type { AgentState } from '../agent-state.ts'
import { isInside } from '../files/resolve-path.ts'
import type { Confinement } from '../permission/decision.ts'
import { childEnvironment, confinedEnvironment, exportedVariables } from './child-environment.ts'
import { parseExports } from './parse-exports.ts'
import { workingFolder } from './working-folder.ts'

/** Takes over folder and exports from the last words of a shell. A shell that had none changes nothing. */
export function remember(state: AgentState, lastWords: string, confinement: Confinement, notes: string[]): void {
  const [folder, exports, rest] = lastWords.split('\0')
  if (folder === undefined || exports === undefined || rest === undefined) return
  const { env, dropped } = exportedVariables(
    parseExports(exports),
    confinement === 'none' ? childEnvironment() : confinedEnvironment(),
  )
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
