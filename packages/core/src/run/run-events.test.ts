import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { call, play, probe, texts } from '../../testing/play-run.ts'
import { RunEmitter, type RunEvents, type RunInput } from './run-input.ts'

const names = [
  'tool:permission:request',
  'tool:permission:response',
  'tool:execution:start',
  'tool:execution:complete',
  'tool:execution:error',
] as const

type Heard = [string, Record<string, unknown>]

function listen(emitter: { on(name: never, listener: (event: never) => void): unknown }): Heard[] {
  const heard: Heard[] = []
  for (const name of names) emitter.on(name as never, (event: never) => void heard.push([name, event]))
  return heard
}

const script = [
  [
    { call: { name: 'Change', input: { id: 'one' }, id: 'c1' } },
    { call: { name: 'Look', input: { id: 'two' }, id: 'c2' } },
    { call: { name: 'Break', input: {}, id: 'c3' } },
    { call: { name: 'Never', input: {}, id: 'c4' } },
  ],
  [{ text: 'over' }],
]

function playWith(events: RunEvents, more: Partial<RunInput> = {}): ReturnType<typeof play> {
  const tools = [
    probe('Change', false, [], { needsApproval: true, display: () => ({ title: 'Changed', summary: 'a bit' }) }),
    probe('Look', true, []),
    probe('Break', true, [], { execute: () => Promise.reject(new Error('it broke')) }),
    probe('Never', false, [], {}),
  ]
  return play(
    script,
    tools,
    {
      events,
      decide: ({ tool }) =>
        tool.name === 'Never'
          ? { decision: 'deny', rule: 'Never', reason: 'never' }
          : { decision: tool.readOnly ? 'allow' : 'ask', rule: null, reason: 'by default', remember: ['Change'] },
      ...more,
    },
    () => ({ type: 'approve', remember: 'session', input: { id: 'other' } }),
  )
}

describe('events of a run', () => {
  it.each<[string, () => RunEvents & Parameters<typeof listen>[0]]>([
    ['our emitter', () => new RunEmitter() as never],
    ["Node's", () => new EventEmitter() as never],
  ])('tell %s of every ask and every call, with the call and the agent', async (_, make) => {
    const emitter = make()
    const heard = listen(emitter)
    await playWith(emitter)
    const of = (id: string): Heard[] => heard.filter(([, event]) => event['toolCallId'] === id)
    expect(of('c1')).toMatchObject([
      [
        'tool:permission:request',
        { input: { id: 'one' }, title: 'Change', reason: 'by default', remember: ['Change'] },
      ],
      ['tool:permission:response', { approved: true, remember: 'session', input: { id: 'other' } }],
      ['tool:execution:start', { input: { id: 'other' } }],
      ['tool:execution:complete', { title: 'Changed', summary: 'a bit', output: { id: 'other' } }],
    ])
    expect(of('c1')[1]?.[1]['askId']).toBe(of('c1')[0]?.[1]['askId'])
    expect(of('c2').map(([name]) => name)).toEqual(['tool:execution:start', 'tool:execution:complete'])
    expect(of('c3')).toMatchObject([
      ['tool:execution:start', {}],
      ['tool:execution:error', { content: 'it broke' }],
    ])
    expect(of('c4')).toMatchObject([
      ['tool:permission:response', { approved: false, automatic: true, reason: 'never' }],
    ])
    for (const [, event] of heard)
      expect(event).toMatchObject({ sessionId: 's1', runId: 'r1', messageId: 'a1', agentPath: ['master'] })
  })

  it('reach all listeners even if one throws or rejects, and the error is traced', async () => {
    const emitter = new RunEmitter()
    const lines: string[] = []
    emitter.on('tool:execution:start', () => {
      throw new Error('deaf')
    })
    emitter.on('tool:execution:complete', () => Promise.reject(new Error('late')))
    const heard = listen(emitter)
    const outcome = await playWith(emitter, { trace: ({ message }) => void lines.push(message) })
    expect(texts(outcome)).toEqual(['over'])
    expect(call(outcome, 'c2').state).toBe('output-available')
    expect(heard.filter(([name]) => name === 'tool:execution:start')).toHaveLength(3)
    expect(lines).toContain('a listener of tool:execution:start failed: Error: deaf')
    expect(lines).toContain('a listener of tool:execution:complete failed: Error: late')
    const node = new EventEmitter()
    node.on('tool:execution:start', () => {
      throw new Error('deaf')
    })
    const beside = await playWith(node)
    expect(['c1', 'c2'].map((id) => call(beside, id).state)).toEqual(['output-available', 'output-available'])
    expect(texts(beside)).toEqual(['over'])
  })

  it('can be listened to once', async () => {
    const emitter = new RunEmitter()
    const heard: string[] = []
    emitter.once('tool:execution:start', ({ toolCallId }) => void heard.push(toolCallId))
    const off = emitter.on('tool:execution:start', () => void heard.push('never'))
    off()
    await playWith(emitter)
    expect(heard).toEqual(['c1'])
  })
})
