import { expect, test } from 'vitest'
import { requestedPanel } from './requested-panel.ts'

const noName = () => undefined

test('a preview that a tool opens waits for the person before it runs', () => {
  expect(requestedPanel({ kind: 'preview', target: 'site/index.html' }, noName)).toEqual({
    kind: 'preview',
    key: 'site/index.html',
    title: 'index.html',
    data: { path: 'site/index.html', waits: true },
  })
})

test.each([{}, { kind: 'preview' }, { kind: 'preview', target: '' }, { kind: 'shell', target: 'x' }])(
  'there is no panel for %o',
  (input) => {
    expect(requestedPanel(input, noName)).toBeUndefined()
  },
)
