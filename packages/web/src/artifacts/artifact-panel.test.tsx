import { expect, test, vi } from 'vitest'
import { button, change, click, eventually, field, named, press, render, type } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { ArtifactPanel, FencePanel } from './artifact-panel.tsx'
import { editMessage } from './edit-box.tsx'
import { framePictures } from '../content/frame-pictures.ts'
import { artifactDocument, downloadName } from './save-artifact.ts'

const path = '/work/notes.md'
const info = (version: number) => ({
  version,
  title: `Notes مرحبا 👩‍👩‍👧‍👦 ${version}`,
  path,
  size: 9,
  messageId: `m${version}`,
  toolCallId: `c${version}`,
  createdAt: version * 1000,
})
const history = (count: number) => ({
  artifact: { id: 'file-1', title: 'Notes', kind: 'markdown', path, versions: count, updatedAt: 1 },
  versions: Array.from({ length: count }, (_, index) => info(index + 1)),
})

async function show(count: number, toolCallId?: string) {
  const state = { count }
  const answers = {
    'GET /ai/sessions/s1/artifact': () =>
      state.count === 0 ? Response.json({ artifact: null, versions: [] }) : Response.json(history(state.count)),
    'GET /ai/sessions/s1/preview': () =>
      Response.json({ preview: { path, kind: 'markdown', size: 9, text: `# Now\n\ntext of ${state.count}` } }),
    'GET /ai/sessions/s1/artifact/version': (_: unknown, query: URLSearchParams) => {
      const version = Number(query.get('version'))
      return Response.json({ version: { ...info(version), kind: 'markdown', text: `old text ${version}` } })
    },
    'GET /ai/sessions/s1/artifact/diff': () => Response.json({ diff: '@@ -1 +1 @@\n-one\n+two', added: 1, removed: 1 }),
  }
  const shown = await render(<ArtifactPanel path={path} toolCallId={toolCallId} />, { answers: answers as never })
  return { ...shown, state }
}
const slider = () => document.querySelector<HTMLInputElement>('input[type=range]')

test('a file that no tool wrote has a preview and no versions', async () => {
  const { view } = await show(0)
  await eventually(() => view.textContent.includes('text of 0'))
  expect(slider()).toBeNull()
})

test('the slider moves through 500 versions, and back to the newest', async () => {
  const { view } = await show(500)
  await eventually(() => view.textContent.includes('text of 500'))
  expect([slider()?.max, slider()?.value]).toEqual(['500', '500'])
  expect(slider()?.getAttribute('aria-valuetext')).toContain(t.artifacts.versionOf(500, 500))
  await click(button(t.artifacts.older))
  await eventually(() => view.textContent.includes('old text'))
  expect(view.textContent).toContain(t.artifacts.versionOf(499, 500))
  await click(button(t.artifacts.latest))
  await eventually(() => view.textContent.includes('text of 500'))
})

test('a new version is followed at the end of the slider, and does not move a user who looks at an older one', async () => {
  const { view, state, session } = await show(2)
  await eventually(() => view.textContent.includes('text of 2'))
  const arrive = async (count: number) => {
    state.count = count
    await change(() =>
      session.setState({ messages: Array.from({ length: count }, () => ({ id: 'x', parts: [] })) as never }),
    )
  }
  await arrive(3)
  await eventually(() => view.textContent.includes(t.artifacts.versionOf(3, 3)))
  await click(button(t.artifacts.older))
  await eventually(() => view.textContent.includes(t.artifacts.versionOf(2, 3)))
  await arrive(4)
  await eventually(() => view.textContent.includes(t.artifacts.versionOf(2, 4)))
  expect(slider()?.value).toBe('2')
})

test('the card of an older version opens that version', async () => {
  const { view } = await show(3, 'c1')
  await eventually(() => view.textContent.includes('old text 1'))
  expect(slider()?.value).toBe('1')
})

test('two versions can be compared', async () => {
  const { view } = await show(3)
  await eventually(() => slider() !== null)
  await click(button(t.artifacts.showChanges))
  await eventually(() => view.textContent.includes('two'))
  expect(other().value).toBe('2')
  await click(button(t.artifacts.hideChanges))
  await eventually(() => view.textContent.includes('text of 3'))
})
const other = () => document.querySelector('select') as HTMLSelectElement

test('a selection and an instruction become a message that names the artifact and quotes the selection', async () => {
  const { view, session } = await show(2)
  const send = vi.spyOn(session, 'send').mockResolvedValue()
  await eventually(() => view.textContent.includes('text of 2'))
  await click(button(t.artifacts.edit))
  const words = [...view.querySelectorAll<HTMLElement>('.prose *')].findLast((one) =>
    one.textContent.includes('text of 2'),
  )
  await click(words as HTMLElement)
  expect(view.querySelector('.artifact-picked')?.textContent).toContain('text of 2')
  await type(field(t.artifacts.instruction), 'Make it blue')
  await click(button(t.artifacts.send))
  const [message] = send.mock.calls[0] ?? []
  expect(message).toBe(
    `${t.artifacts.editMessage('Notes مرحبا 👩‍👩‍👧‍👦 2', path, undefined)}\n\n${t.artifacts.selectedPart(words?.localName ?? '')}\n> text of 2\n\nMake it blue`,
  )
  expect(view.querySelector('form')).toBeNull()
})

test('a wish without a selection is about the whole', () => {
  expect(editMessage({ title: 'A', path: 'a.html', version: 3, picked: undefined }, 'Shorter')).toBe(
    `${t.artifacts.editMessage('A', 'a.html', 3)}\n\nShorter`,
  )
})

test('downloads have a name in any script', () => {
  expect(downloadName('مرحبا: 日本/語 👩‍👩‍👧‍👦', 'pdf')).toBe('مرحبا 日本 語.pdf')
  expect(downloadName('page.html', 'html')).toBe('page.html')
  expect(downloadName('../..', 'png')).toBe('artifact.png')
  expect(downloadName('x'.repeat(10_000), 'html')).toHaveLength(85)
})

test('code blocks with the same title are versions; without a title, each is on its own', async () => {
  const answer = (id: string, ...texts: string[]) => ({
    id,
    role: 'assistant',
    parts: texts.map((text) => ({ type: 'text', text })),
  })
  const block = (text: string, language = 'markdown') => `Here:\n\n\`\`\`${language}\n${text}\n\`\`\`\n`
  const messages = [
    answer('a1', block('# Plan\none'), block('# Other\nx')),
    answer('a2', block('# Plan\ntwo')),
    answer('a3', block('# Plan\nthree', 'text')),
  ]
  const { view, draw } = await render(<FencePanel kind="markdown" text={'# Plan\none'} />, {
    chat: { messages } as never,
  })
  await eventually(() => view.textContent.includes('one'))
  expect(view.textContent).toContain(t.artifacts.versionOf(1, 2))
  await click(button(t.artifacts.newer))
  await eventually(() => view.textContent.includes('two'))
  await draw(<FencePanel key="other" kind="markdown" text="no title" />)
  await eventually(() => view.textContent.includes('no title'))
  expect(slider()).toBeNull()
})

/** Downloads, as names and texts. */
function watchDownloads(): { name: string; blob: Blob }[] {
  const saved: { name: string; blob: Blob }[] = []
  const blobs = new Map<string, Blob>()
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    blobs.set(`blob:${blobs.size}`, blob as Blob)
    return `blob:${blobs.size - 1}`
  })
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push({ name: this.download, blob: blobs.get(this.href) as Blob })
  })
  return saved
}

async function download(item: string): Promise<void> {
  await click(button(t.artifacts.download))
  await eventually(() => document.querySelector('[role=menuitem]') !== null)
  await click(named<HTMLElement>('[role=menuitem]', item))
}

test('a download while changes are shown is that of the version', async () => {
  const saved = watchDownloads()
  const { view } = await show(3)
  await eventually(() => view.textContent.includes('text of 3'))
  await click(button(t.artifacts.showChanges))
  await download(t.artifacts.asHtml)
  await eventually(() => saved.length === 1)
  expect(await saved[0]?.blob.text()).toContain('text of 3')
})

test('a saved document has pictures of charts, and all rows of a sheet', async () => {
  const { view } = await render(
    <figure aria-label="Chart: Visits">
      <figcaption>Visits</figcaption>
      <button type="button">Save</button>
    </figure>,
  )
  const picture = 'data:image/png;base64,iVBORw0KGgo='
  framePictures.set(view.querySelector('figure') as HTMLElement, () => Promise.resolve(picture))
  const chart = await artifactDocument({ kind: 'chart', name: 'Visits', text: '{}' }, view)
  expect(chart).toContain(`<img src="${picture}" alt="Chart: Visits">`)
  expect(chart).not.toContain('Save')
  const text = ['name', ...Array.from({ length: 300 }, (_, index) => `row ${index} <b>`)].join('\n')
  const sheet = await artifactDocument({ kind: 'csv', name: 'Rows', text }, view)
  expect(sheet).toContain('<td>row 299 &lt;b&gt;</td>')
})

test('closing the preview leaves the full screen, also if that begins later', async () => {
  const begun = Promise.withResolvers<void>()
  const exit = vi.fn<() => Promise<void>>(() => Promise.resolve())
  const full = { element: null as Element | null }
  Object.defineProperty(document, 'fullscreenElement', { configurable: true, get: () => full.element })
  document.documentElement.requestFullscreen = () => begun.promise
  document.exitFullscreen = exit
  const { view, draw } = await show(1)
  await eventually(() => view.textContent.includes('text of 1'))
  await click(button(t.artifacts.fullScreen))
  await draw(null)
  full.element = document.documentElement
  await change(() => begun.resolve())
  expect(exit).toHaveBeenCalledTimes(1)
  await draw(<ArtifactPanel path={path} />)
  await eventually(() => view.textContent.includes('text of 1'))
  await click(button(t.artifacts.fullScreen))
  await draw(null)
  expect(exit).toHaveBeenCalledTimes(2)
})

test('Escape belongs to an input method while it composes', async () => {
  const { view } = await show(1)
  await eventually(() => view.textContent.includes('text of 1'))
  await click(button(t.artifacts.edit))
  await press(field(t.artifacts.instruction), 'Escape', { isComposing: true })
  expect(view.querySelector('form')).not.toBeNull()
  await press(field(t.artifacts.instruction), 'Escape')
  expect(view.querySelector('form')).toBeNull()
})
