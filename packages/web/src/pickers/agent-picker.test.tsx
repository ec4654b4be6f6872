import { expect, test } from 'vitest'
import { button, change, click, eventually, render } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { AgentPicker } from './agent-picker.tsx'

test('opened by keyboard, the first agent has the focus, also if the agents arrive later', async () => {
  const agents = Promise.withResolvers<unknown>()
  await render(<AgentPicker />, { app: { isNew: true }, answers: { 'GET /ai/agents': () => agents.promise as never } })
  await click(button(t.agents.picked('master')))
  await eventually(() => document.querySelector('[role=menu]') !== null)
  await change(() => agents.resolve({ agents: [agent('explore'), agent('master')] }))
  await eventually(() => document.activeElement?.getAttribute('role') === 'menuitemradio')
  expect(document.activeElement?.textContent).toContain('master')
})

const agent = (name: string) => ({ name, description: `About ${name}`, enabled: true })
