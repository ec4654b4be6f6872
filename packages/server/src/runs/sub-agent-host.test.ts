import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type AgentDefinition, getTools, type Tool } from '@troupe/core'
import { type Script, type ScriptTurn, testApproval } from '@troupe/core/testing'
import { afterEach, expect, it } from 'vitest'
import { createTestSink, openTestRuns, type TestRuns } from '../testing/open-runs.ts'

const toolList: Tool[] = [...getTools(['Task', 'SendInput', 'WaitAgent', 'AbortAgent', 'TimeNow']), testApproval]
const agents = (): Promise<AgentDefinition[]> =>
  Promise.resolve(
    ['a', 'b', 'c'].map((name) => ({
      name,
      description: name,
      prompt: name,
      tools: ['agent', 'TestApproval', 'TimeNow'],
    })),
  )

let test: TestRuns | undefined
afterEach(async () => {
  await test?.close()
  test = undefined
})

const task = (name: string, more: object = {}): ScriptTurn[number] => ({
  call: { name: 'Task', input: { name, task: `work of ${name}`, ...more } },
})

function cast(turns: Record<string, ScriptTurn[]>): Script {
  return (prompt) => {
    const system = prompt.find(({ role }) => role === 'system')
    const name = (system as { content: string }).content.split('\n')[0] as string
    const since = prompt.slice(prompt.findLastIndex(({ role }) => role === 'user'))
    const step = since.filter(({ role }) => role === 'assistant').length
    return turns[name]?.[step] ?? [{ text: `end of ${name}` }]
  }
}

const blocks = (_: unknown, prompt: string): Promise<{ name: string; text: string }[]> =>
  Promise.resolve([{ name: 'prompt', text: prompt }])

it('stores each sub-agent as its own conversation, without nesting', async () => {
  test = await openTestRuns(cast({ master: [[task('a')]], a: [[task('b'), task('c')]] }), {
    toolList,
    agents,
    blocks,
  })
  const run = await test.ask('go')
  const sink = createTestSink()
  run.subscribe(sink, {})
  const message = await run.done
  await sink.ended
  expect(message.parts.at(-1)).toMatchObject({ type: 'text', text: 'end of master' })
  const records = await test.store.agents.list('s1')
  expect(records.map(({ name, status }) => [name, status])).toEqual([
    ['a', 'completed'],
    ['b', 'completed'],
    ['c', 'completed'],
  ])
  const [a, b] = records
  expect(b?.parentAgentId).toBe(a?.agentId)
  expect(a?.parentAgentId).toBeNull()
  const { messages } = await test.store.messages.branch({ sessionId: 's1', agentId: b?.agentId as string })
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  expect(messages[1]?.metadata?.agent).toEqual({ kind: 'sub', name: 'b', depth: 2, path: ['master', 'a', 'b'] })
  const seen = sink.chunks().filter(({ type }) => type.startsWith('data-sub-agent'))
  expect(new Set(seen.map(({ type }) => type)).size).toBe(3)
  expect(await test.store.runs.unfinished()).toEqual([])
  expect(test.runs.getAgent('s1', a?.agentId as string)).toBeUndefined()
})

it('stops one sub-agent while the others continue', async () => {
  test = await openTestRuns(
    cast({ master: [[task('a'), task('b')]], a: [[{ call: { name: 'TestApproval', input: {} } }]] }),
    {
      toolList,
      agents,
      blocks,
    },
  )
  const run = await test.ask('go')
  await run.settled()
  const a = (await test.store.agents.list('s1')).find(({ name }) => name === 'a')
  expect(a?.status).toBe('waiting')
  expect(await test.runs.stopAgent('s1', a?.agentId as string)).toBe(true)
  expect((await test.store.agents.get('s1', a?.agentId as string))?.status).toBe('stopped')
  const message = await run.done
  expect(message.parts.at(-1)).toMatchObject({ text: 'end of master' })
  expect(await test.inbox.list({})).toEqual([])
})

it('keeps the user’s message id for input to a running agent', async () => {
  const asking = cast({ master: [[task('a')]], a: [[{ call: { name: 'TestApproval', input: {} } }]] })
  const script: Script = (prompt, ...rest) =>
    JSON.stringify(prompt).includes('mind the gap')
      ? [{ text: 'minded' }]
      : (asking as (...given: unknown[]) => ScriptTurn)(prompt, ...rest)
  test = await openTestRuns(script, { toolList, agents, blocks })
  const run = await test.ask('go')
  await run.settled()
  const [ask] = await test.inbox.list({ sessionId: 's1' })
  const agentId = ask?.agentId ?? ''
  const session = await test.store.sessions.get('s1')
  await test.runs.messageAgent(session!, agentId, { id: 'mine', text: 'and mind the gap' })
  await test.runs.answer(ask?.id ?? '', { type: 'approve' })
  await run.done
  const { messages } = await test.store.messages.branch({ sessionId: 's1', agentId })
  const told = messages.flatMap(({ parts }) => parts).find((part) => part.type === 'steering-message')
  expect(told).toMatchObject({ id: 'mine' })
})

it('continues three levels deep in another process, where a sub-agent’s ask is answered', async () => {
  const script = cast({
    master: [[task('a')]],
    a: [[task('b')]],
    b: [[{ call: { name: 'TimeNow', input: {} } }], [{ call: { name: 'TestApproval', input: {} } }]],
  })
  test = await openTestRuns(script, { toolList, agents, blocks })
  const run = await test.ask('go')
  await run.settled()
  const [ask] = await test.inbox.list({ sessionId: 's1' })
  expect(ask?.agentPath).toEqual(['master', 'a', 'b'])
  const asking = await test.store.agents.get('s1', ask?.agentId ?? '')
  expect(asking?.name).toBe('b')
  await test.runs.close()

  const second = test.next(script)
  await second.runs.recover()
  const again = second.runs.get('s1')
  expect(again).toBeDefined()
  const [same] = await second.inbox.list({ sessionId: 's1' })
  expect(same?.id).toBe(ask?.id)
  await second.runs.answer(same?.id as string, { type: 'approve' })
  const message = await again?.done
  expect(message?.parts.at(-1)).toMatchObject({ text: 'end of master' })
  const records = await second.store.agents.list('s1')
  expect(records.map(({ status }) => status)).toEqual(['completed', 'completed'])
  const { messages } = await second.store.messages.branch({ sessionId: 's1', agentId: records[1]?.agentId as string })
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  expect(messages[1]?.parts.filter((part) => part.type.startsWith('tool-'))).toHaveLength(2)
  expect(message?.metadata?.subAgents).toEqual({ tokens: await spentBelow(second) })
})

async function spentBelow({ store }: TestRuns): Promise<number> {
  const agentIds = (await store.agents.list('s1')).map(({ agentId }) => agentId)
  const pages = await Promise.all(agentIds.map((agentId) => store.messages.branch({ sessionId: 's1', agentId })))
  return pages
    .flatMap(({ messages }) => messages)
    .reduce((sum, { metadata }) => sum + (metadata?.usage?.totalTokens ?? 0), 0)
}

it('closes an answer that was complete before a crash, whatever its sub-agents in the background reported', async () => {
  const script: Script = (prompt) =>
    JSON.stringify(prompt[0]).includes('master') && !prompt.some(({ role }) => role === 'assistant')
      ? [task('a', { background: true })]
      : [{ text: 'end' }]
  test = await openTestRuns(script, { toolList, agents, blocks })
  const run = await test.ask('go')
  const before = await run.done
  const [agent] = await test.store.agents.list('s1')
  // Another number of steps makes another report, which this answer has not received.
  await test.store.agents.put({ ...agent!, details: { ...agent!.details!, steps: 9 } })
  const record = await test.store.runs.get(run.id)
  await test.store.runs.put({ ...record!, status: 'running', endedAt: null })

  const next = test.next(script)
  await next.runs.recover()
  const after = await next.runs.get('s1')?.done
  expect(after?.parts).toEqual(before.parts)
  expect((await next.store.runs.get(run.id))?.status).toBe('done')
})

it('reports the usage of its sub-agents in an answer once, even after restarts', async () => {
  let agentId = ''
  const first = cast({ master: [[task('a')]], a: [[task('b'), task('c')]] }) as (...given: unknown[]) => ScriptTurn
  const again = (): ScriptTurn[] => [
    [{ call: { name: 'SendInput', input: { agent_id: agentId, message: 'more' } } }],
    [{ call: { name: 'WaitAgent', input: { agent_ids: [agentId] } } }],
    [{ call: { name: 'TestApproval', input: {} } }],
  ]
  const script: Script = (prompt, ...rest) => {
    const from = prompt.findIndex((message) => JSON.stringify(message).includes('"again"'))
    if (from === -1) return first(prompt, ...rest)
    return again()[prompt.slice(from).filter(({ role }) => role === 'assistant').length] ?? [{ text: 'end of master' }]
  }
  test = await openTestRuns(script, { toolList, agents, blocks })
  const { metadata: told } = await (await test.ask('go')).done
  const before = await spentBelow(test)
  expect(told?.subAgents).toEqual({ tokens: before })
  agentId = (await test.store.agents.list('s1')).find(({ name }) => name === 'a')?.agentId ?? ''

  const run = await test.ask('again')
  await run.settled()
  await test.runs.close()
  const next = test.next(script)
  await next.runs.recover()
  const resumed = next.runs.get('s1')
  const [open] = await next.inbox.list({ sessionId: 's1' })
  await next.runs.answer(open?.id ?? '', { type: 'approve' })
  const { metadata } = (await resumed?.done) ?? {}
  const all = await spentBelow(next)
  expect(all).toBeGreaterThan(before)
  expect(metadata?.subAgents).toEqual({ tokens: all - before })
  const tree = await next.store.messages.tree({ sessionId: 's1' })
  expect(tree.at(-1)?.tokens).toBe((metadata?.usage?.totalTokens ?? 0) + all - before)
})

it('exports a sub-agent as its own folder', async () => {
  test = await openTestRuns(cast({ master: [[task('a')]] }), { toolList, agents, blocks })
  await (
    await test.ask('go')
  ).done
  const [a] = await test.store.agents.list('s1')
  const folder = path.join(test.home, 'sessions/s1/agents', a?.agentId as string)
  expect(JSON.parse(readFileSync(path.join(folder, 'session.json'), 'utf8'))).toMatchObject({
    name: 'a',
    task: 'work of a',
    agentType: 'system',
    parentAgentId: null,
  })
  expect(readFileSync(path.join(folder, 'messages.jsonl'), 'utf8').trim().split('\n')).toHaveLength(2)
})

it('continues alone if a user adds input after its session’s run', async () => {
  test = await openTestRuns(cast({ master: [[task('a')]] }), { toolList, agents, blocks })
  await (
    await test.ask('go')
  ).done
  const [a] = await test.store.agents.list('s1')
  const agentId = a?.agentId as string
  await test.runs.messageAgent(test.session, agentId, { id: 'more', text: 'and now?' })
  await test.runs.getAgent('s1', agentId)?.done
  const { messages } = await test.store.messages.branch({ sessionId: 's1', agentId })
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  expect(test.runs.get('s1')).toBeUndefined()
  await expect.poll(async () => (await (test as TestRuns).store.agents.get('s1', agentId))?.status).toBe('completed')
  await expect(test.runs.messageAgent(test.session, 'nobody', { id: 'x', text: 'x' })).rejects.toThrow('does not exist')
})

it('keeps the agent that the session talks to within the steps of its definition', async () => {
  const time: ScriptTurn = [{ call: { name: 'TimeNow', input: {} } }]
  test = await openTestRuns(cast({ master: [time, time, time] }), {
    toolList,
    blocks,
    agent: (name) => Promise.resolve({ name, description: '', prompt: 'master', tools: ['*'], maxSteps: 2 }),
  })
  const { metadata } = await (await test.ask('go', { limits: { steps: 50 } })).done
  expect(metadata?.stopped).toMatchObject({ reason: 'steps', message: expect.stringContaining('2 steps') })
})
