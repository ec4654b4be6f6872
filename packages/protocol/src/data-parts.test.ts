import { describe, expect, it } from 'vitest'
import { dataParts, isStoredData } from './data-parts.ts'

type Name = keyof typeof dataParts

const agent = { agentId: 'g1' }
const good: { [K in Name]: unknown[] } = {
  'sub-agent-start': [
    { ...agent, parentAgentId: null, name: 'explorer', task: 'look' },
    { ...agent, parentAgentId: 'g0', name: 'a', task: '' },
  ],
  'sub-agent-chunk': [
    { ...agent, chunks: [] },
    { ...agent, chunks: [{ type: 'text-delta', id: '0', delta: 'a' }] },
  ],
  'sub-agent-end': [{ ...agent, status: 'done' }],
  ask: [{ id: 'a', kind: 'question', toolCallId: 'c', toolName: 'Ask', title: 'Which?', content: null }],
  'ask-answer': [{ id: 'a', toolCallId: 'c', answer: { type: 'answers', answers: {} } }],
  skill: [{ name: 'pdf', path: '/s/SKILL.md', scope: 'user', content: 'text' }],
  command: [{ name: 'review', path: '/c/review.md', scope: 'home', content: 'text', allowedTools: ['Read'] }],
  mention: [
    { kind: 'file', name: 'a.ts', path: 'a.ts', lines: '1-2', content: 'x' },
    { kind: 'agent', name: 'explore', content: 'Searches.' },
  ],
  hint: [{ text: 'There is no such command.' }],
  trim: [{ id: 't1', upTo: { messageId: 'm1', step: 2 }, folder: '/tmp/output' }],
  compaction: [
    { id: 'k', upTo: { messageId: 'm', step: 0 }, summary: 's' },
    { id: 'k', upTo: { messageId: 'm', step: 3 }, summary: '', off: true },
  ],
  'image-description': [
    { sha256: '0', name: 'a.png', model: 'a/b', text: 'A cat.' },
    { sha256: '0', name: 'a.png', model: 'a/b', text: '', problem: 'It is gone.' },
  ],
  branch: [{ messageId: 'm2', replaces: 'm1' }],
  comparison: [
    { messageId: 'u1', answers: [{ messageId: 'm1', model: 'a/b' }] },
    { messageId: 'u1', answers: [], picked: 'm1' },
  ],
  column: [{ messageId: 'm1', chunk: { type: 'text-delta', id: '0', delta: 'a' } }],
  'session-title': [{ title: 'Hello' }],
  usage: [{ inputTokens: 1, outputTokens: 2, totalTokens: 3 }],
  'ui-event': [
    { name: 'open', data: { page: 1 } },
    { name: 'close', data: null },
  ],
  'tool-progress': [{ toolCallId: 'c', delta: 'half' }],
  retry: [{ attempt: 1, delayMs: 500, message: '429' }],
  'media-generate-start': [{ taskId: 't', kind: 'image' }],
  'media-generate-progress': [
    { taskId: 't', toolCallId: 'c', elapsedMs: 2000 },
    { taskId: 't', progress: 0.5 },
  ],
  'media-generate-end': [{ taskId: 't', url: '/ai/blobs/x' }],
  'media-generate-error': [
    { errorCode: 'no_model', message: 'none' },
    { taskId: 't', errorCode: 'login_required', message: 'x' },
  ],
}
const bad: Partial<Record<Name, unknown[]>> = {
  'sub-agent-start': [
    { ...agent, name: 'a', task: 'b' },
    { agentId: '../x', parentAgentId: null, name: 'a', task: 'b' },
  ],
  'sub-agent-chunk': [{ ...agent, chunks: 'x' }],
  ask: [{ id: 'a', kind: 'approval', toolCallId: 'c', toolName: 'Ask', title: 'x', content: null }],
  skill: [{ name: 'pdf', path: '/s', scope: 'user' }],
  mention: [{ kind: 'else', name: 'x', content: 'x' }],
  trim: [{ id: 't1', upTo: { messageId: 'm1' }, folder: '/tmp' }],
  compaction: [
    { id: 'k', upTo: { messageId: 'm', step: -1 }, summary: 's' },
    { id: 'k', upTo: 'm', summary: 's' },
  ],
  'image-description': [{ sha256: '0', name: 'a.png', text: 'A cat.' }],
  branch: [{ messageId: 'a/b', replaces: 'm' }],
  usage: [{ inputTokens: '1', outputTokens: 2, totalTokens: 3 }],
  retry: [{ attempt: 0.5, delayMs: 1, message: 'x' }],
  'media-generate-progress': [{ taskId: 't', progress: 50 }],
  'media-generate-error': [{ errorCode: 'other', message: 'x' }],
}

describe('our data parts', () => {
  it.each(Object.entries(good))('data-%s accepts valid data', (name, values) => {
    for (const value of values) expect(dataParts[name as Name].schema.parse(value)).toEqual(value)
  })

  it.each(Object.entries(bad))('data-%s rejects invalid data', (name, values) => {
    for (const value of [...values, null, 'x', {}]) {
      expect(dataParts[name as Name].schema.safeParse(value).success).toBe(false)
    }
  })

  it('are stored according to the contract', () => {
    const stored = Object.keys(dataParts).filter(isStoredData)
    expect(stored).toEqual([
      'ask',
      'ask-answer',
      'skill',
      'command',
      'mention',
      'hint',
      'compaction',
      'trim',
      'image-description',
      'branch',
      'media-generate-end',
    ])
  })

  it('with an unknown name are stored, even if every object has that name', () => {
    for (const name of ['my-own', '', 'constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      expect(isStoredData(name)).toBe(true)
    }
  })

  it('each have a one-line description', () => {
    for (const { about } of Object.values(dataParts)) expect(about).toMatch(/^[^\n|]{5,}$/)
  })
})
