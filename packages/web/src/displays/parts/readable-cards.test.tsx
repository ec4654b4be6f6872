import { expect, test } from 'vitest'
import { eventually, render } from '../../testing/render.tsx'
import { findDisplay } from './display-registry.ts'

async function show(content: object) {
  const found = findDisplay(content)!
  const { view } = await render(<found.Display content={found.content} />)
  return view
}

const file = { kind: 'file', path: 'a.docx', from: 1, lines: 3, more: false }

test('the text of a document is rendered, without the numbers of its paragraphs', async () => {
  const text = '# [¶ 1] Contract\n[¶ 2] Some **bold** words\n[¶ 3]\n| Item | Sum |\n|---|---|\n| Rent | 9 |'
  const view = await show({ ...file, text, isMarkdown: true })
  await eventually(() => view.querySelector('strong') !== null)
  const blocks = [...view.querySelectorAll('.prose-block')].map((block) => block.textContent.trim())
  expect(blocks.slice(0, 2)).toEqual(['Contract', 'Some bold words'])
  expect(view.querySelector('strong')?.textContent).toBe('bold')
  expect(view.querySelectorAll('td')).toHaveLength(2)
  expect(view.textContent).not.toContain('¶')
})

test('other text stays as it is', async () => {
  const view = await show({ ...file, path: 'a.md', text: '# Title' })
  expect(view.querySelector('h1')).toBeNull()
  expect(view.textContent).toContain('# Title')
})

test('an edited image shows its steps in words', async () => {
  const steps = ['Start with a.png.', 'Write “<b>Hi</b>”.', 7]
  const view = await show({ kind: 'image', path: 'b.png', mediaType: 'image/png', size: 0, steps })
  expect([...view.querySelectorAll('li')].map((item) => item.textContent)).toEqual(steps.slice(0, 2))
  expect(view.querySelector('b')).toBeNull()
})
