import type { DocumentLayout } from '@troupe/protocol'
import { expect, test } from 'vitest'
import { eventually, render } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { FileViewer } from './file-viewer.tsx'

const layout: DocumentLayout = {
  page: { width: 595, margin: 72 },
  blocks: [
    { kind: 'paragraph', number: 1, heading: 1, align: 'center', runs: [{ text: 'Contract', isBold: true, size: 16 }] },
    {
      kind: 'paragraph',
      number: 2,
      label: '1.',
      runs: [
        { text: '<img src=x onerror=alert(1)>' },
        { text: 'site', link: 'https://example.com/' },
        { text: 'trap', link: 'javascript:alert(1)' },
        { text: 'new', change: 'inserted', author: 'Ann' },
        { text: 'old', change: 'deleted', author: 'Bo' },
        { text: 'said', comments: ['0'] },
        { text: '2', note: 'footnote 2', script: 'super' },
        { text: '', picture: { data: 'data:image/png;base64,iVBORw0KGgo=', alt: 'A logo', width: 100, height: 50 } },
      ],
    },
    {
      kind: 'table',
      number: 3,
      hasLines: true,
      widths: [50, 150],
      rows: [
        {
          isHead: true,
          cells: [{ columns: 2, rows: 1, blocks: [{ kind: 'paragraph', number: 3, runs: [{ text: 'Cell' }] }] }],
        },
      ],
    },
  ],
  notes: [{ id: 'footnote 2', label: '2', blocks: [{ kind: 'paragraph', number: 0, runs: [{ text: 'A note' }] }] }],
  comments: [{ id: '0', author: 'Cy', date: '2024-02-03', isResolved: true, text: 'Why?' }],
}

test('a Word document is shown with its formatting, and its content cannot become markup', async () => {
  const asked: (string | null)[] = []
  const { view } = await render(<FileViewer file={{ path: 'contract.docx' }} />, {
    answers: {
      'GET /ai/documents': (_: unknown, query: URLSearchParams) => {
        asked.push(query.get('layout'))
        return { document: { format: 'docx', title: '', mediaType: 'x', facts: '3 paragraphs', text: '', layout } }
      },
    },
  })
  await eventually(() => view.querySelector('.word-page') !== null)
  expect(asked).toEqual(['1'])
  const page = view.querySelector<HTMLElement>('.word-page')!
  const title = page.querySelector('h1')!
  expect([title.textContent, title.style.textAlign, title.dataset['anchor']]).toEqual(['Contract', 'center', '¶ 1'])
  expect(page.textContent).toContain('<img src=x onerror=alert(1)>')
  expect([...page.querySelectorAll('img')].map(({ alt }) => alt)).toEqual(['A logo'])
  expect([...page.querySelectorAll('a')].map((link) => link.getAttribute('href'))).toEqual(['https://example.com/'])
  expect(page.querySelector('ins')?.title).toBe(t.viewers.inserted('Ann'))
  expect(page.querySelector('del')?.textContent).toBe('old')
  expect(page.querySelector('mark')?.title).toBe('Cy: Why?')
  expect(page.querySelector('th')?.colSpan).toBe(2)
  expect(page.textContent).toContain('A note')
  expect(page.textContent).toContain(t.viewers.resolved)
})
