import { enlargeImage } from '../ui/enlarged-image.ts'
import { t } from '../texts/t.ts'
import { copyText } from '../ui/copy-text.ts'

type DrawMath = (place: HTMLElement) => void
let drawMath: DrawMath | undefined
const settledMs = 300

/** Adds to sanitised prose what markdown has no words for: tables that scroll, code with a copy button, images that can be enlarged, formulas. Once. */
export function decorateProse(root: HTMLElement): void {
  for (const table of root.querySelectorAll(':not(.table-scroll) > table')) frameTable(table)
  for (const code of root.querySelectorAll<HTMLElement>(':not(.code-inline-block) > pre')) frameCode(code)
  for (const image of root.querySelectorAll<HTMLImageElement>(':not(.image-button) > img')) frameImage(image)
  for (const reference of root.querySelectorAll<HTMLElement>('.footnote-reference')) linkReference(reference)
  for (const note of root.querySelectorAll<HTMLElement>('.footnotes > li')) linkNote(note)
  const formulas = root.querySelectorAll<HTMLElement>('.math-inline:not(.math-drawn), .math-display:not(.math-drawn)')
  if (formulas.length > 0) drawFormulas(formulas)
}

function frameTable(table: Element): void {
  const frame = document.createElement('div')
  frame.className = 'table-scroll'
  frame.tabIndex = 0
  frame.setAttribute('role', 'group')
  frame.setAttribute('aria-label', t.markdown.table)
  table.replaceWith(frame)
  frame.append(table)
}

function frameCode(code: HTMLElement): void {
  const frame = document.createElement('div')
  frame.className = 'code-inline-block'
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'code-copy'
  button.textContent = t.markdown.copy
  button.addEventListener('click', () => {
    void copyText(code.textContent).then((copied) => {
      button.textContent = copied ? t.markdown.copied : t.markdown.copyingFailed
    })
  })
  code.replaceWith(frame)
  frame.append(button, code)
  code.tabIndex = 0
  setTimeout(() => void paintCode(code.querySelector('code')), settledMs)
}

/** In its colours, when it has stood still for a while: what is being written is made anew with every word. */
async function paintCode(code: HTMLElement | null): Promise<void> {
  const language = /language-([\w+#.-]+)/.exec(code?.className ?? '')?.[1]
  if (code === null || language === undefined || !code.isConnected) return
  const text = code.textContent
  const painted = await import('./highlight.ts').then(
    ({ highlight }) => highlight(text, language),
    () => undefined,
  )
  if (painted !== undefined && code.isConnected && code.textContent === text) code.replaceChildren(painted)
}

function frameImage(image: HTMLImageElement): void {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'image-button'
  button.setAttribute('aria-label', t.chat.enlarge(image.alt === '' ? t.chat.image : image.alt))
  button.addEventListener('click', () => enlargeImage({ url: image.src, name: image.alt }))
  image.replaceWith(button)
  button.append(image)
}

function linkReference(reference: HTMLElement): void {
  const number = Number(reference.textContent)
  const button = jumpButton(reference.textContent, t.markdown.footnote(number), () => {
    const note = reference.closest('.prose')?.querySelectorAll<HTMLElement>('.footnotes > li')[number - 1]
    show(note?.querySelector('button'), note)
  })
  reference.replaceChildren(button)
}

function linkNote(note: HTMLElement): void {
  const number = [...(note.parentElement?.children ?? [])].indexOf(note) + 1
  const button = jumpButton('↩', t.markdown.footnoteBack(number), () => {
    const all = [...(note.closest('.prose')?.querySelectorAll('.footnote-reference > button') ?? [])]
    const reference = all.find(({ textContent }) => textContent === String(number))
    show(reference, reference)
  })
  const last = note.lastElementChild
  if (last?.matches('p') === true) last.append(' ', button)
  else note.append(button)
}

function jumpButton(text: string, label: string, onJump: () => void): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'footnote-jump'
  button.textContent = text
  button.setAttribute('aria-label', label)
  button.addEventListener('click', onJump)
  return button
}

function show(focused: Element | null | undefined, seen: Element | undefined): void {
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  seen?.scrollIntoView({ block: 'center' })
}

/** At once where they were drawn before, so that a growing text does not flicker. */
function drawFormulas(formulas: NodeListOf<HTMLElement>): void {
  if (drawMath !== undefined) {
    formulas.forEach(drawMath)
    return
  }
  const load = async () => {
    drawMath = (await import('./draw-math.ts')).drawMath
    for (const formula of formulas) if (formula.isConnected) drawMath(formula)
  }
  // Without it their source is still there: the server may be away.
  load().catch(() => undefined)
}
