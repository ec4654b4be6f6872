import { expect, test } from 'vitest'
import { eventually, click, render } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { sections } from './document-view.tsx'
import { FileViewer } from './file-viewer.tsx'

const read = (text: string, more: object = {}) => ({
  document: { format: 'docx', title: 'a Word document', mediaType: 'x', facts: '3 pages', text, ...more },
})

test('a long document continues where the server says', async () => {
  const asked: (string | null)[] = []
  const { view } = await render(<FileViewer file={{ path: 'docs/letter.docx' }} />, {
    answers: {
      'GET /ai/documents': (_: unknown, query: URLSearchParams) => {
        asked.push(query.get('offset'))
        return query.get('offset') === null
          ? read('The beginning', { next: { offset: 7 }, notes: ['It has macros.'] })
          : read('The end')
      },
    },
  })
  await eventually(() => view.textContent.includes('The beginning'))
  expect(view.textContent).toContain('It has macros.')
  const more = [...view.querySelectorAll('button')].find((button) => button.textContent === t.viewers.more)
  await click(more!)
  await eventually(() => view.textContent.includes('The end'))
  expect(asked).toEqual([null, '7'])
  expect(view.textContent).not.toContain(t.viewers.more)
})

test('a document that cannot be read says why and can be downloaded', async () => {
  const { view } = await render(<FileViewer file={{ path: 'letter.docx' }} />, {
    answers: {
      'GET /ai/documents': () =>
        new Response(JSON.stringify({ error: { name: 'DocumentUnreadable', message: 'It has a password.' } }), {
          status: 422,
          headers: { 'content-type': 'application/json' },
        }),
    },
  })
  await eventually(() => view.textContent.includes('It has a password.'))
  expect(view.querySelector('a')?.textContent).toBe(t.files.download)
})

test('text is split at the places that can be cited', () => {
  expect(sections('Title\n[slide 1]\nA\n[slide 2] B')).toEqual([
    { anchor: '', text: 'Title' },
    { anchor: 'slide 1', text: '\nA' },
    { anchor: 'slide 2', text: 'B' },
  ])
  expect(sections('[p. 1]\nA')).toEqual([{ anchor: 'p. 1', text: '[p. 1]  \nA' }])
})

test('paragraphs lose their numbers, lists stay together, and tables end', () => {
  const text = [
    'Outline:',
    '- [¶ 1] Contract',
    '',
    '# [¶ 1] Contract',
    '[¶ 2] From: Ann',
    'To: Bo',
    '[¶ 3] - Pay',
    '[¶ 4] - Deliver',
    '[¶ 5]',
    '| Item |',
    '|---|',
    '[¶ 6] Signed',
  ]
  expect(sections(text.join('\n'))).toEqual([
    { anchor: '¶ 1', text: '# Contract' },
    { anchor: '¶ 2', text: 'From: Ann  \nTo: Bo' },
    { anchor: '¶ 3', text: '- Pay\n- Deliver' },
    { anchor: '¶ 5', text: '\n| Item |\n|---|' },
    { anchor: '¶ 6', text: 'Signed' },
  ])
})

test('a web page under the name of a workbook is shown as a document', async () => {
  const { view } = await render(<FileViewer file={{ path: 'export.xls' }} />, {
    answers: {
      'GET /ai/documents': () => read('Prices of tea', { format: 'html', notes: ['The name ends in ".xls".'] }),
    },
  })
  await eventually(() => view.textContent.includes('Prices of tea'))
  expect(view.textContent).toContain('The name ends in ".xls".')
})
