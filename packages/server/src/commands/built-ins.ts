import { parseCommand, type Part } from '@troupe/core'
import type { BuiltInCommand } from './command.ts'
import { agent } from './built-in/agent.ts'
import { clear } from './built-in/clear.ts'
import { compact } from './built-in/compact.ts'
import { help } from './built-in/help.ts'
import { model } from './built-in/model.ts'
import { plan } from './built-in/plan.ts'
import { summaryTitle } from './built-in/summary-title.ts'
import { undo } from './built-in/undo.ts'

/** In the order in which help shows them. */
export const builtIns: readonly BuiltInCommand[] = [help, summaryTitle, compact, clear, undo, model, agent, plan]

export const builtInNames: readonly string[] = builtIns.flatMap(({ name, aliases = [] }) => [name, ...aliases])

/** The command of ours that a message is, by its first text. */
export function findBuiltIn(parts: readonly Part[]): { command: BuiltInCommand; rest: string } | undefined {
  const text = parts.find((part) => part.type === 'text')?.text ?? ''
  const parsed = parseCommand(text)
  const command = builtIns.find(({ name, aliases = [] }) => [name, ...aliases].includes(parsed?.name ?? ''))
  return command === undefined || parsed === undefined ? undefined : { command, rest: parsed.rest }
}
