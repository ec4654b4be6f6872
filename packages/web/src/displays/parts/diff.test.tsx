import { expect, test, vi } from 'vitest'
import { button, click, eventually, render } from '../../testing/render.tsx'
import { t } from '../../texts/t.ts'
import DiffDisplay from '../diff.tsx'
import FileDisplay from '../file.tsx'

const show = async (content: Record<string, unknown>) =>
  (await render(<DiffDisplay content={{ kind: 'diff', ...content }} live />)).view
const rows = (view: HTMLElement, kind: string) =>
  [...view.querySelectorAll(`tr.diff-${kind} .code-text`)].map((cell) => cell.textContent)
const diff = '@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n'

test('shows added and removed lines with their numbers, and counts them', async () => {
  const view = await show({ path: 'a.txt', diff })
  expect(rows(view, 'removed')).toEqual(['two'])
  expect(rows(view, 'added')).toEqual(['zwei'])
  expect(view.querySelector('.diff-count-added')?.textContent).toBe('+1')
  expect(view.querySelector('.diff-count-removed')?.textContent).toBe('−1')
  expect(view.querySelector('tr.diff-added .diff-after')?.textContent).toBe('2')
})

test('a cut diff shows the counts of the server, another its own', async () => {
  const counts = { added: 900, removed: 400 }
  const cut = await show({ path: 'a.txt', diff, cut: true, ...counts })
  expect(cut.querySelector('.diff-count-added')?.textContent).toBe('+900')
  expect(cut.textContent).toContain(t.displays.diffCut)
  const whole = await show({ path: 'a.txt', diff, ...counts })
  expect(whole.querySelector('.diff-count-added')?.textContent).toBe('+1')
})

test('markup and invisible characters in a line are shown as text', async () => {
  const view = await show({ path: '<i>a</i>', diff: '@@ -1 +1 @@\n-<script>1</script>\n+x\u202Ey\n' })
  expect(view.querySelector('script, i')).toBeNull()
  expect(rows(view, 'removed')).toEqual(['<script>1</script>'])
  expect(rows(view, 'added')).toEqual(['x⟨U+202E⟩y'])
})

test('a long diff begins with an excerpt and grows on demand', async () => {
  const lines = Array.from({ length: 400 }, (_, i) => `+line ${i}`).join('\n')
  const view = await show({ path: 'a.txt', diff: `@@ -0,0 +1,400 @@\n${lines}\n`, change: 'created' })
  const first = rows(view, 'added').length
  expect(first).toBeLessThan(100)
  await click(button(/more/i))
  expect(rows(view, 'added').length).toBeGreaterThan(first)
})

test('long unchanged stretches fold and open', async () => {
  const same = Array.from({ length: 60 }, (_, i) => ` same ${i}`).join('\n')
  const view = await show({ path: 'a.txt', diff: `@@ -1,61 +1,61 @@\n-a\n+b\n${same}\n` })
  expect(rows(view, 'context').length).toBeLessThan(60)
  await click(button(/unchanged/i))
  expect(rows(view, 'context')).toHaveLength(60)
})

test('an empty or missing diff says so instead of failing', async () => {
  expect((await show({ path: 'a.bin', diff: '' })).textContent).toContain(t.displays.sameText)
  expect((await show({ path: 'a.bin', diff: 7 })).textContent).toContain('a.bin')
  expect((await show({})).textContent).not.toBeNull()
})

test('other text than a diff is shown line by line', async () => {
  for (const text of ['@@ broken', '@@ -999999999999,1 +1 @@\n+x', 'plain\ntext', '\u0000\u0001', '-'.repeat(10_000)])
    expect((await show({ path: 'x', diff: text })).querySelectorAll('tr').length).toBeGreaterThan(0)
})

const longFile = Array.from({ length: 40 }, (_, index) => `const a${index + 1} = ${index + 1}`)
const inTheMiddle = '@@ -19,3 +19,3 @@\n const a19 = 19\n-const a20 = 20\n+const a20 = 21\n const a21 = 21\n'
const withFile = (text: string, live = true) =>
  render(
    <DiffDisplay content={{ kind: 'diff', path: 'src/a.ts', change: 'changed', diff: inTheMiddle }} live={live} />,
    {
      answers: { 'GET /ai/sessions/s1/file': () => ({ file: { path: 'src/a.ts', kind: 'text', bytes: 9, text } }) },
    },
  )

test('the unchanged lines between hunks open, and then the whole file', async () => {
  const { view } = await withFile(`${longFile.join('\n')}\n`)
  expect(rows(view, 'context')).toEqual([longFile[18], longFile[20]])
  await click(button('Show 18 unchanged lines'))
  await eventually(() => rows(view, 'context').length === 19 + 3)
  await click(button(t.displays.showWholeFile))
  await eventually(() => rows(view, 'context').length === 39)
  expect(rows(view, 'context').at(-1)).toBe('const a40 = 40')
})

test('lines of a file that changed since are not shown as those around the change', async () => {
  const { view } = await withFile(`${longFile.join('\n')}\n`, false)
  await click(button(t.displays.showWholeFile))
  await eventually(() => view.textContent.includes(t.displays.fileChanged))
  expect(rows(view, 'context')).toHaveLength(2)
})

test('code has colors, and the changed part stays marked', async () => {
  const { view } = await withFile('')
  await eventually(() => view.querySelectorAll('.hljs-keyword').length === 4)
  expect(rows(view, 'added')).toEqual(['const a20 = 21'])
  expect([...view.querySelectorAll('.diff-changed')].map((mark) => mark.textContent)).toEqual(['0', '1'])
  expect(view.querySelector('.diff-changed .hljs-number')?.textContent).toBe('0')
})

test('with room for two columns, diffs can be shown side by side, and the choice is remembered', async () => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      #look: (entries: object[]) => void
      constructor(look: (entries: object[]) => void) {
        this.#look = look
      }
      observe() {
        this.#look([{ contentRect: { width: 700 } }])
      }
      disconnect() {}
    },
  )
  const { view, draw } = await withFile('')
  await click(button(t.displays.sideBySide))
  const cells = () =>
    [...view.querySelectorAll('tr.diff-pair')].map((row) =>
      [...row.querySelectorAll('.code-text')].map((cell) => cell.textContent),
    )
  expect(cells()).toContainEqual(['const a20 = 20', 'const a20 = 21'])
  await draw(<DiffDisplay key="other" content={{ kind: 'diff', path: 'b', diff }} />)
  expect(cells()).toEqual([
    ['one', 'one'],
    ['two', 'zwei'],
    ['three', 'three'],
  ])
  await click(button(t.displays.unified))
  expect(cells()).toEqual([])
})

test('a file has its line numbers and colors, and long ones grow on demand', async () => {
  const text = `${Array.from({ length: 100 }, (_, index) => `let a${index} = ${index}`).join('\n')}\n`
  const { view } = await render(<FileDisplay content={{ kind: 'file', path: 'a.ts', text, from: 5, lines: 100 }} />)
  const first = () => [...view.querySelectorAll('tr:first-child td')].map((cell) => cell.textContent).slice(0, 2)
  expect(first()).toEqual(['5', 'let a0 = 0'])
  await eventually(() => view.querySelectorAll('.hljs-keyword').length === 40)
  await click(button(/more/i))
  await eventually(() => view.querySelectorAll('tr').length === 100)
})
