import type { Part } from '@troupe/protocol'
import { expect, test } from 'vitest'
import { messageMarkdown } from './message-menu-items.tsx'

test('a message becomes a document: its original text, its calls quoted, its sources as links', () => {
  const parts = [
    { type: 'step-start' },
    { type: 'reasoning', text: 'hm', state: 'done' },
    { type: 'text', text: '# Title\n\n- one' },
    {
      type: 'tool-Bash',
      toolCallId: 'c',
      state: 'output-available',
      input: { command: 'ls *' },
      output: 'a ``` b',
    },
    { type: 'source-url', sourceId: 's', url: 'https://a.example/x (1)', title: 'A [page]' },
  ] as unknown as Part[]
  expect(messageMarkdown({ parts })).toBe(
    [
      '# Title\n\n- one',
      '> **Bash** ls \\*',
      '````\na ``` b\n````',
      '- [A \\[page\\]](https://a.example/x%20%281%29)',
    ].join('\n\n'),
  )
})
