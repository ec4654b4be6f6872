import { isDeepStrictEqual } from 'node:util'
import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import {
  createAgentUIStream,
  experimental_createSteering as createSteering,
  isLoopFinished,
  tool as sdkTool,
  ToolLoopAgent,
  type ToolSet,
  type UIMessage,
} from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { cleanMessage } from '../../../protocol/src/fold.ts'
import type { Message, StoredMessage } from '../../../protocol/src/message.ts'
import { type Conversation, conversations, type Intended } from '../../testing/differential-conversations.ts'
import { createMemoryAsks, createMemoryLog } from '../store/memory.ts'
import type { ScriptTurn } from '../testing/script.ts'
import { scriptedModel } from '../testing/scripted-model.ts'
import { testToolContext } from '../testing/test-tool-context.ts'
import { checkTool, defineTool, type Tool } from '../tool/tool.ts'
import { run } from './run.ts'

/*
 * Runs the same scripted conversations through our loop and through the AI SDK's agent. The resulting messages and the
 * model requests must be equal, apart from intended differences.
 *
 * Everywhere:
 * - id and metadata of the message, our notes in `toolMetadata`;
 * - a trailing `step-start` with nothing after it: our step begins before the request, the SDK's with the first part;
 * - ids of reasoning parts: ours come from the provider and are unique in a step, the SDK makes them unique in the
 * message;
 * - the SDK copies a call's provider metadata to the result of our own tools; we store it once, with the call;
 * - for a thrown error the SDK sends the model "Error: text" within a run and "text" in later runs; we always send the
 * text.
 *
 * Where a conversation declares it:
 * - `texts`: the wording of errors from the loop itself (unknown tool, bad input, calls that are not run);
 * - `input`: the SDK stores input with the schema's defaults, and sends the model `{}` for input that cannot be parsed
 * and
 * lists unchanged; we keep the model's input, and send `{input: …}` for anything but an object, as strict providers
 * require;
 * - `approvals`: ids and wording of approvals; we send a refusal as an error text; the SDK sends the results of a step
 * out
 * of order when some of its calls had to wait.
 */
const tools = [
  define('Add', true, z.object({ a: z.number(), b: z.number() }), ({ a, b }) => ({ sum: a + b })),
  define('Echo', true, z.object({ text: z.string() }), ({ text }) => text),
  define('Fail', true, z.object({ message: z.string() }), ({ message }) => {
    throw new Error(message)
  }),
  define('Note', false, z.object({ text: z.string() }), ({ text }) => ({ noted: text, list: [1, null, { x: true }] })),
  define(
    'Greet',
    true,
    z.object({ name: z.string().default('you'), loud: z.boolean().optional() }),
    ({ name }) => name,
  ),
  define('List', true, z.object({}), () => []),
  define('Null', true, z.object({}), () => null),
]

const hello: UIMessage[] = [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'hi' }] }]

test('there are at least thirty conversations', () => {
  expect(Object.keys(conversations).length).toBeGreaterThanOrEqual(30)
})

describe('our loop and the agent of the AI SDK agree on', () => {
  test.each(Object.entries(conversations))('%s', async (_, conversation) => {
    const ours = await playOurs(conversation)
    const theirs = await playTheirs(conversation)
    const { intended = [] } = conversation
    expect(comparable(ours.message, intended)).toEqual(comparable(theirs.message, intended))
    expect(comparable(ours.prompts, intended)).toEqual(comparable(theirs.prompts, intended))
  })
})

interface Played {
  message: Message
  prompts: LanguageModelV4Prompt[]
}

async function playOurs({ turns, steering, history = hello, answers }: Conversation): Promise<Played> {
  const said: { id: string; text: string }[] = []
  const model = speakingModel(turns, steering, (text) => said.push({ id: 'steer-1', text }))
  const left = [...(answers ?? [])]
  const outcome = await run({
    runId: 'r1',
    messageId: 'a2',
    session: { id: 's1' },
    workspace: { id: 'w1', path: '/' },
    frames: [{ kind: 'master', name: 'master', depth: 0, path: ['master'] }],
    model: { id: 'scripted/script', model },
    tools,
    history: history.map((message) => ({ ...message, parentMessageId: null, createdAt: 0 }) as StoredMessage),
    signal: new AbortController().signal,
    log: createMemoryLog(),
    asks: createMemoryAsks(() => {
      const answer = left.shift()
      return answer === true ? { type: 'approve' } : { type: 'deny', remark: answer as string }
    }),
    decide: ({ tool }) => ({ decision: answers && !tool.readOnly ? 'ask' : 'allow', reason: '', rule: null }),
    steering: () => said.splice(0),
    maxRetries: 0,
  })
  return { message: outcome.message, prompts: model.calls.map(({ prompt }) => prompt) }
}

async function playTheirs({ turns, steering, history = hello, answers = [] }: Conversation): Promise<Played> {
  const sdkSteering = createSteering()
  const model = speakingModel(turns, steering, (text) => void sdkSteering.steer(text, { id: 'steer-1' }))
  const agent = new ToolLoopAgent({
    model,
    tools: sdkTools(),
    stopWhen: isLoopFinished(),
    maxRetries: 0,
    onError: () => {},
    ...(answers.length > 0 && { toolApproval: { Note: 'user-approval' } }),
  })
  const left = [...answers]
  let messages = history
  for (;;) {
    let ended: UIMessage | undefined
    const stream = await createAgentUIStream({
      agent,
      uiMessages: messages,
      originalMessages: messages,
      ...(steering && { experimental_steering: sdkSteering }),
      sendSources: true,
      onError: (error) => (error instanceof Error ? error.message : String(error)),
      onEnd: ({ responseMessage }) => void (ended = responseMessage),
    })
    await Array.fromAsync(stream)
    const message = ended as UIMessage
    if (!message.parts.some((part) => 'state' in part && part.state === 'approval-requested')) {
      return {
        message: cleanMessage(message as Message, { run: 'ended' }),
        prompts: model.calls.map(({ prompt }) => prompt),
      }
    }
    messages = [...history, answered(message, left)]
  }
}

function answered(message: UIMessage, answers: (true | string)[]): UIMessage {
  const parts = message.parts.map((part) => {
    if (!('state' in part) || part.state !== 'approval-requested') return part
    const answer = answers.shift()
    const approval = { ...part.approval, approved: answer === true, ...(answer !== true && { reason: answer }) }
    return { ...part, state: 'approval-responded', approval }
  })
  return { ...message, parts: parts as UIMessage['parts'] }
}

function speakingModel(turns: ScriptTurn[], steering: Record<number, string> = {}, say: (text: string) => void) {
  return scriptedModel((_, index) => {
    const text = steering[index]
    if (text !== undefined) say(text)
    return turns[index] ?? [{ error: { message: `There is no turn ${index}.` } }]
  })
}

function sdkTools(): ToolSet {
  return Object.fromEntries(
    tools.map((tool) => [
      tool.name,
      sdkTool({ inputSchema: tool.input, execute: (input) => tool.execute(input, testToolContext()) as unknown }),
    ]),
  )
}

function define<Schema extends z.ZodType>(
  name: string,
  readOnly: boolean,
  input: Schema,
  execute: (input: z.infer<Schema>) => unknown,
): Tool {
  const tool = defineTool({ description: name, input, readOnly, group: 'test', execute: (given) => execute(given) })
  return checkTool({ ...tool, name }, name)
}

function comparable(value: unknown, intended: Intended[]): unknown {
  const replacer = (_: string, entry: unknown): unknown => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return entry
    return withoutIntended(entry as Record<string, unknown>, intended)
  }
  return JSON.parse(JSON.stringify(value, replacer)) as unknown
}

function withoutIntended(given: Record<string, unknown>, intended: Intended[]): Record<string, unknown> {
  const entry = { ...given }
  // We prefix a remark with its author.
  if (typeof entry['value'] === 'string') entry['value'] = entry['value'].replace(/^Denied\. The user said: /, '')
  if (Array.isArray(entry['parts']) && 'role' in entry) {
    delete entry['id']
    delete entry['metadata']
    const last = entry['parts'].at(-1) as { type: string } | undefined
    if (last?.type === 'step-start') entry['parts'] = entry['parts'].slice(0, -1)
  }
  if (intended.includes('approvals') && entry['role'] === 'tool') {
    const content = entry['content'] as { toolCallId: string }[]
    entry['content'] = content.toSorted((a, b) => a.toolCallId.localeCompare(b.toolCallId))
  }
  if (entry['type'] === 'reasoning') delete entry['id']
  if ('toolCallId' in entry) {
    delete entry['toolMetadata']
    if (isDeepStrictEqual(entry['resultProviderMetadata'], entry['callProviderMetadata']))
      delete entry['resultProviderMetadata']
    if (intended.includes('input')) delete entry['input']
    if (intended.includes('texts') && entry['errorText'] !== undefined) entry['errorText'] = '(told)'
    if (intended.includes('approvals') && isRecord(entry['approval'])) {
      const { approved, reason } = entry['approval']
      entry['approval'] = { approved, reason }
    }
  }
  if (entry['type'] === 'error-text') {
    entry['value'] = intended.includes('texts') ? '(told)' : String(entry['value']).replace(/^Error: /, '')
  }
  if (intended.includes('approvals') && entry['type'] === 'execution-denied') {
    return { type: 'error-text', value: entry['reason'] }
  }
  return entry
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
