import { expect, test } from 'vitest'
import { pageActions } from './actions.ts'
import { toPanelRequest } from './requested-panel.ts'

const around = {
  toolCallId: 'call-1',
  agentName: (agentId: string) => (agentId === 'a1' ? 'reader' : undefined),
  chartNamed: (title: string) => (title === 'Sales' ? 'call-0' : undefined),
}
const asked = (input: Record<string, unknown>) => toPanelRequest(input, around)

test('a preview opened by a tool waits for the user before it runs', () => {
  expect(asked({ kind: 'preview', target: 'site/index.html' })).toEqual({
    kind: 'preview',
    key: 'site/index.html',
    title: 'index.html',
    data: { path: 'site/index.html', waits: true },
  })
})

test('a diff and a chart show the data of the call', () => {
  const content = { kind: 'diff', path: 'src/a.ts', diff: '@@ -1 +1 @@\n-a\n+b\n' }
  expect(asked({ kind: 'diff', target: 'src/a.ts', content })).toEqual({
    kind: 'diff',
    key: 'src/a.ts',
    title: 'a.ts',
    data: { toolCallId: 'call-1', content },
  })
  expect(asked({ kind: 'diff', content })).toMatchObject({ key: 'call-1', title: 'src/a.ts' })
  const option = { series: [] }
  expect(asked({ kind: 'chart', title: 'Mine', content: { kind: 'chart', option } })).toEqual({
    kind: 'chart',
    key: 'Mine',
    title: 'Mine',
    data: { option, title: 'Mine' },
  })
})

test('a chart that was shown is found by its title, an agent has its name', () => {
  expect(asked({ kind: 'chart', target: 'Sales' })).toEqual({
    kind: 'chart',
    key: 'call-0',
    title: 'Sales',
    data: { toolCallId: 'call-0' },
  })
  expect(asked({ kind: 'agent', target: 'a1' })).toMatchObject({ title: 'reader' })
})

test('a kind available to models opens with its data, and the page announces it', () => {
  expect(asked({ kind: 'branches', data: { messageId: 'm1' } })).toEqual({
    kind: 'branches',
    title: 'branches',
    data: { messageId: 'm1' },
  })
  expect(pageActions.notes?.['show-panel']).toEqual([
    expect.stringMatching(/^"branches" is another panel: A map/),
    expect.stringMatching(/^"changes" is another panel/),
    expect.stringMatching(/^"projects" is another panel/),
  ])
})

test.each([
  {},
  { kind: 'preview' },
  { kind: 'preview', target: '' },
  { kind: 'shell', target: 'x' },
  { kind: 'browser', target: 'https://example.com', data: { url: 'https://example.com' } },
  { kind: 'debug' },
  { kind: 'diff', target: 'a.ts' },
  { kind: 'chart', target: 'Unheard of' },
])('%o has no panel', (input) => {
  expect(asked(input)).toBeUndefined()
})
