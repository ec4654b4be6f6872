import { expect, test } from 'vitest'
import { button, change, eventually, render } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { SubAgentAsks } from './sub-agent-asks.tsx'

const ask = (id: string, more: object = {}) => ({
  id,
  kind: 'approval',
  sessionId: 's1',
  runId: 'r1',
  agentPath: ['master', 'coder'],
  agentId: 'agent_1',
  toolCallId: `call-${id}`,
  toolName: 'Bash',
  input: { command: 'npm test' },
  title: 'Run a command',
  reason: 'It runs a command.',
  rule: null,
  ...more,
})
const has = (name: string) => [...document.querySelectorAll('button')].some((one) => one.textContent.includes(name))

test('the approval of a sub-agent is answered here, or in its panel while that is in view', async () => {
  const { view, session } = await render(<SubAgentAsks />, { app: { asks: [ask('a')] } as never })
  await eventually(() => has(t.inbox.approve))
  expect(view.querySelector('output')?.textContent).toContain(`coder ${t.inbox.asks} Run a command`)
  await change(() => session.panels.open({ kind: 'agent', key: 'agent_1', title: 'coder' }))
  expect(has(t.inbox.approve)).toBe(false)
  expect(view.textContent).toContain(t.inbox.inPanel)
  await change(() => session.panels.hide())
  await eventually(() => has(t.inbox.approve))
})

test('several are reviewed together, and other requests are answered in the inbox', async () => {
  const { app } = await render(<SubAgentAsks />, { app: { asks: [ask('a'), ask('b')] } as never })
  expect(button(t.review.open(2))).toBeDefined()
  await change(() => app.setState({ asks: [ask('q', { kind: 'question' })] as never }))
  expect(button(t.inbox.answer)).toBeDefined()
})
