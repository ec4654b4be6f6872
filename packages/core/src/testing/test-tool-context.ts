import { tmpdir } from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { createAgentState } from '../run/create-agent-state.ts'
import type { AgentFrame } from '../tool/services.ts'
import { checkTool, defineTool, type ToolContext } from '../tool/tool.ts'
import { scriptedModel } from './scripted-model.ts'

export interface TestToolContext extends ToolContext {
  readonly emitted: { name: string; data: unknown; id?: string; transient?: boolean }[]
}

/** A context for calling a tool's `execute` directly in a test. `ask` fails unless one is given. */
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

/** A read-only tool that always asks the user, whatever the rules say. */
export const testApproval = checkTool(
  defineTool({
    description:
      'Asks the person for an approval and changes nothing. Returns what the approval carried. For trying out approvals.',
    input: z.object({
      message: z.string().describe('What the person is asked').optional(),
      payload: z.unknown().describe('Anything to show beside the question').optional(),
    }),
    readOnly: true,
    needsApproval: 'always',
    group: 'system',
    title: () => 'Test approval',
    permission: ({ message, payload }) => ({
      title: message ?? 'Approve a test?',
      summary: 'Only a test: nothing is read, written or sent.',
      ...(payload !== undefined && { content: payload }),
    }),
    execute({ message, payload }, ctx) {
      return { approved: true, message: message ?? null, payload: payload ?? null, data: ctx.approval ?? null }
    },
    display: ({ message, data }) => ({
      title: 'Approved',
      ...(message !== null && { summary: message }),
      ...(data !== null && { content: data }),
    }),
  }),
  'test-approval',
)

/**
 * Maximum pause in tests. The promise is 100 ms on a quiet machine. On shared cores the same code takes up to twice the
 * CPU time, while quadratic code takes seconds.
 */
export const pauseLimitMs = 250

/**
 * Measures the longest time in which nothing else could run on this thread, in milliseconds of its CPU time. Unlike
 * wall time, CPU time does not grow when other processes load the machine.
 */
export async function longestPause<T>(work: () => Promise<T> | T): Promise<{ result: T; pauseMs: number }> {
  let longest = 0
  let last = cpuTime()
  const note = (): void => {
    const now = cpuTime()
    longest = Math.max(longest, now - last)
    last = now
  }
  // A timer fires at most once per turn of the event loop, so two calls enclose one uninterrupted stretch.
  const timer = setInterval(note, 1)
  try {
    const result = await work()
    note()
    return { result, pauseMs: longest / 1000 }
  } finally {
    clearInterval(timer)
  }
}

function cpuTime(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}
