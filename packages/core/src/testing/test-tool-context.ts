import { tmpdir } from 'node:os'
import path from 'node:path'
import type { AgentFrame } from '../agent-frame.ts'
import { createAgentState } from '../create-agent-state.ts'
import type { ToolContext } from '../tool.ts'
import { scriptedModel } from './scripted-model.ts'

export interface TestToolContext extends ToolContext {
  /** What the tool has emitted so far. */
  readonly emitted: { name: string; data: unknown; id?: string; transient?: boolean }[]
}

/** A context for calling a tool's `execute` directly in a test. Asking fails unless `ask` is given. */
export function testToolContext(given: Partial<ToolContext> = {}): TestToolContext {
  const agent: AgentFrame = { kind: 'master', name: 'master', depth: 0, path: ['master'] }
  const emitted: TestToolContext['emitted'] = []
  return {
    session: { id: 'session-1' },
    workspace: { id: 'workspace-1', path: process.cwd() },
    run: { id: 'run-1', attempt: 1, step: 1 },
    state:
      given.state ??
      createAgentState({
        workspace: given.workspace?.path ?? process.cwd(),
        outputFolder: path.join(tmpdir(), 'troupe-test-output'),
      }),
    frames: [agent],
    agent,
    chatModel: { id: 'scripted/script', model: scriptedModel([]) },
    messageId: 'message-1',
    toolCallId: 'call-1',
    signal: new AbortController().signal,
    emit: (name, data, options) => void emitted.push({ name, data, ...options }),
    ask: ({ kind, title }) => Promise.reject(new Error(`The test gave no answer to the ${kind} "${title}".`)),
    process: () => Promise.resolve(),
    lastOutput: () => undefined,
    settings: () => undefined,
    credentials: () => Promise.resolve(undefined),
    ...given,
    emitted,
  }
}
