import { z } from 'zod'
import type { Part, StoredMessage } from '../../protocol/src/message.ts'
import { decide } from '../src/permission/decide.ts'
import { createPolicy } from '../src/permission/policy.ts'
import type { RunInput } from '../src/run/run-input.ts'
import { run, type RunOutcome } from '../src/run/run.ts'
import { createMemoryAsks, createMemoryLog, type MemoryLog } from '../src/store/memory.ts'
import { scriptedModel, type ScriptedModel } from '../src/testing/index.ts'
import type { Answer, Ask } from '../src/tool/asks.ts'
import { checkTool, defineTool, type Tool } from '../src/tool/tool.ts'

export type Playing = RunOutcome & { log: MemoryLog; model: ScriptedModel }

export const user = (text: string): StoredMessage => ({
  id: 'u1',
  parentMessageId: null,
  role: 'user',
  parts: [{ type: 'text', text }],
  createdAt: 0,
})

export function probe(name: string, readOnly: boolean, events: string[], extra: Partial<Tool> = {}): Tool {
  return checkTool(
    {
      ...defineTool({
        description: name,
        input: z.object({ id: z.string().default('x') }),
        readOnly,
        group: 'test',
        needsApproval: false,
        async execute({ id }) {
          events.push(`+${id}`)
          await new Promise((resolve) => setTimeout(resolve, 5))
          events.push(`-${id}`)
          return { id }
        },
      }),
      name,
      ...extra,
    },
    name,
  )
}

export async function play(
  script: Parameters<typeof scriptedModel>[0],
  tools: Tool[],
  more: Partial<RunInput> = {},
  answer: (ask: Ask) => Answer | Promise<Answer> = () => ({ type: 'approve' }),
  window: Omit<RunInput['model'], 'id' | 'model'> = {},
): Promise<Playing> {
  const log = createMemoryLog()
  const model = scriptedModel(script)
  const outcome = await run({
    runId: 'r1',
    messageId: 'a1',
    session: { id: 's1' },
    workspace: { id: 'w1', path: '/tmp' },
    frames: [{ kind: 'master', name: 'master', depth: 0, path: ['master'] }],
    model: { id: 'test/scripted', model, ...window },
    tools,
    history: [user('hi')],
    signal: new AbortController().signal,
    log,
    asks: createMemoryAsks(answer),
    decide: (call, ctx) => decide(call, ctx, createPolicy()),
    ...more,
  })
  return { ...outcome, log, model }
}

export function texts(outcome: RunOutcome): string[] {
  return outcome.message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}

export function call(outcome: RunOutcome, id: string): Part & { state: string; errorText?: string; output?: unknown } {
  return outcome.message.parts.find((part) => 'toolCallId' in part && part.toolCallId === id) as never
}
