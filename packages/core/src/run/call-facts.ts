import type { HookOccasion } from '../hooks/hook.ts'
import type { CallScope } from './call-scope.ts'
import type { Call } from './parse-call.ts'
import type { CallMark, RunEventMap, RunEventName } from './run-events.ts'
import type { RunInput } from './run-input.ts'

/** What events and hooks are told of a run. */
export function hookRunInfo(input: RunInput): Omit<CallMark, 'toolCallId' | 'toolName'> & { workspace: string } {
  return {
    sessionId: input.session.id,
    runId: input.runId,
    messageId: input.messageId,
    agentPath: input.frames.map((frame) => frame.name),
    workspace: input.workspace.path,
  }
}

type HookCallInfo = Omit<Extract<HookOccasion, { event: 'before-call' }>, 'event'>

export function hookCallInfo(call: Call, given: unknown, scope: CallScope): HookCallInfo {
  const { toolCallId, toolName } = call
  return { ...hookRunInfo(scope.input), cwd: scope.state().cwd, toolCallId, toolName, input: given }
}

/** Tells an event of a call. A listener that fails harms nobody: it is traced. */
export function emitCallEvent<Name extends RunEventName>(
  name: Name,
  call: Call,
  scope: CallScope,
  event: Omit<RunEventMap[Name], keyof CallMark>,
): void {
  const { events, trace } = scope.input
  if (events === undefined) return
  const { toolCallId, toolName } = call
  const { workspace: _, ...run } = hookRunInfo(scope.input)
  const report = (error: unknown): void =>
    trace?.({ level: 'warn', message: `a listener of ${name} failed: ${String(error)}`, toolCallId })
  try {
    const told = events.emit(name, { ...run, toolCallId, toolName, ...event } as unknown as RunEventMap[Name])
    if (told instanceof Promise) told.catch(report)
  } catch (error) {
    report(error)
  }
}
