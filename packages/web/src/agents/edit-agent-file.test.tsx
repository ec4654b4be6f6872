import { expect, test } from 'vitest'
import { button, change, click, eventually, field, render, type } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { AgentsSection } from './agents-section.tsx'

const file = '/work/.troupe/agents/reviewer.md'
const broken = '/work/.troupe/agents/half.md'
const agent = {
  name: 'reviewer',
  description: 'Reviews.',
  source: 'project',
  enabled: true,
  systemPrompt: 'You review.',
  languages: [],
  tools: [],
  path: file,
}

test('the file of an agent is edited in place, also one that is not valid', async () => {
  const sent: unknown[] = []
  await render(<AgentsSection />, {
    answers: {
      'GET /ai/agents': () => ({ agents: [agent], problems: [{ path: broken, message: '"description" is missing' }] }),
      'GET /ai/tools': () => ({ tools: [], problems: [] }),
      'GET /ai/workspace': () => ({ workspace: { path: '/work', trusted: true } }),
      'GET /ai/agent-files': (_: unknown, query: URLSearchParams) => ({
        path: query.get('path'),
        text: 'old',
        version: 'v1',
      }),
      'PATCH /ai/agent-files': (body: object) => (sent.push(body), { ...body, version: 'v2' }),
    } as never,
  })
  await eventually(() => document.body.textContent.includes('reviewer'))
  await click(button(`${t.skillEditor.fix} ${broken}`))
  await change(() => undefined)
  await type(field(broken), 'fixed')
  await click(button(t.ui.save))
  await click(button(t.ui.close))
  await click(button(/^reviewer/))
  await click(button(t.skillEditor.fix))
  await change(() => undefined)
  await type(field(file), 'new')
  await click(button(t.ui.save))
  expect(sent).toEqual([
    { path: broken, text: 'fixed', version: 'v1' },
    { path: file, text: 'new', version: 'v1' },
  ])
})
