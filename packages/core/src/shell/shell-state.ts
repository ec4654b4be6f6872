import { realpathSync, statSync } from 'node:fs'
import { isDangerousName } from '@troupe/command-policy'
import type { Confinement } from '../access/decision.ts'
import { isInside } from '../files/resolve-path.ts'
import { childEnvironment, confinedEnvironment, exportedVariables } from '../process/child-environment.ts'
import type { AgentState } from '../tool/agent-state.ts'
import type { ToolContext } from '../tool/tool.ts'

/** Takes the folder and exports from the last words of a shell. A shell without last words changes nothing. */
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
  if (dropped.length > 0) notes.push(`Too long to carry over to the next command: ${dropped.join(', ')}.`)
  const cwd = realFolder(folder.replace(/\n$/, ''))
  if (cwd === state.cwd) return
  if (cwd !== '' && state.roots.some((root) => isInside(cwd, root))) {
    state.cwd = cwd
    notes.push(`The working directory is now ${cwd}.`)
    return
  }
  const why = cwd === '' ? 'the folder it changed to no longer exists' : `${cwd} is outside the workspace`
  notes.push(`The working directory was reset to ${workingFolder(state, notes)}: ${why}.`)
}

/**
 * State left by an unapproved command must not affect later ones. Permission for those is decided by their text alone,
 * as if nothing ran before.
 */
function forgetDangerous(state: AgentState, env: Record<string, string>, notes: string[]): void {
  const names = Object.keys(env).filter((name) => isDangerousName(name) && env[name] !== state.env[name])
  for (const name of names) {
    const before = state.env[name]
    if (before === undefined) delete env[name]
    else env[name] = before
  }
  if (names.length > 0)
    notes.push(`Not carried over to the next command, because this one ran without approval: ${names.join(', ')}.`)
}

/** True if a call runs without a person's approval, in a mode where that matters. */
export function runsWithoutApproval({ granted, mode }: Pick<ToolContext, 'granted' | 'mode'>): boolean {
  return granted !== undefined && granted.approved !== true && mode?.get() !== 'bypass'
}

/** Exports from inside the sandbox stay there. Outside they could make a program do anything. */
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

/** Resolves the real folder, because a command can fake the shell's report. Empty if the folder is gone. */
function realFolder(folder: string): string {
  try {
    return folder === '' ? '' : realpathSync.native(folder)
  } catch {
    return ''
  }
}

/**
 * Parses the output of bash's `declare -px`: `declare -x NAME="value"`, with `$'…'` for values with special characters.
 */
export function parseExports(text: string): Record<string, string> {
  const exported: Record<string, string> = {}
  const line = /declare -([A-Za-z]+) ([A-Za-z_][A-Za-z0-9_]*)/y
  for (let at = 0; at < text.length;) {
    line.lastIndex = at
    const match = line.exec(text)
    if (match === null) {
      const next = text.indexOf('\n', at)
      if (next === -1) break
      at = next + 1
      continue
    }
    at = line.lastIndex
    const [, flags = '', name = ''] = match
    if (text[at] === '=') {
      const { value, end } = readValue(text, at + 1)
      at = end
      // Arrays cannot be exported, whatever their flags say.
      if (value !== undefined && !/[aA]/.test(flags)) exported[name] = value
    }
    at = Math.max(at, text.indexOf('\n', at)) + 1
  }
  return exported
}

function readValue(text: string, at: number): { value: string | undefined; end: number } {
  if (text.startsWith("$'", at)) return readAnsi(text, at + 2)
  if (text[at] !== '"') return { value: undefined, end: at }
  let value = ''
  for (let i = at + 1; i < text.length; i++) {
    const character = text[i] as string
    if (character === '"') return { value, end: i + 1 }
    if (character === '\\' && '\\"$`\n'.includes(text[i + 1] ?? ' ')) i++
    value += text[i]
  }
  return { value: undefined, end: text.length }
}

const escapes: Record<string, string> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** Parses `$'…'`. Bytes may be octal escapes, so the value is assembled from bytes. */
function readAnsi(text: string, at: number): { value: string | undefined; end: number } {
  const pieces: Buffer[] = []
  for (let i = at; i < text.length; i++) {
    const character = text[i] as string
    if (character === "'") return { value: Buffer.concat(pieces).toString('utf8'), end: i + 1 }
    if (character !== '\\') {
      const end = endOfPlain(text, i)
      pieces.push(Buffer.from(text.slice(i, end)))
      i = end - 1
      continue
    }
    const octal = /^[0-7]{1,3}/.exec(text.slice(i + 1, i + 4))?.[0]
    if (octal !== undefined) {
      pieces.push(Buffer.from([Number.parseInt(octal, 8) & 0xff]))
      i += octal.length
      continue
    }
    i++
    const escaped = text[i] ?? ''
    pieces.push(Buffer.from(escapes[escaped] ?? escaped))
  }
  return { value: undefined, end: text.length }
}

function endOfPlain(text: string, at: number): number {
  let end = at
  while (end < text.length && text[end] !== "'" && text[end] !== '\\') end++
  return end
}

/** Returns the agent's folder, or the workspace if it is gone. */
export function workingFolder(state: Pick<AgentState, 'cwd' | 'roots'>, notes: string[]): string {
  if (isFolder(state.cwd)) return state.cwd
  const workspace = state.roots[0] as string
  if (!isFolder(workspace)) throw new Error(`The workspace ${workspace} no longer exists, so nothing can run in it.`)
  notes.push(`The working directory ${state.cwd} no longer exists; it was reset to ${workspace}.`)
  state.cwd = workspace
  return workspace
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
