import createDOMPurify from 'dompurify'
import { memo, useLayoutEffect, useRef } from 'react'
import { pageAccess } from '../api/page-access.ts'
import { t } from '../texts/t.ts'
import { copyText } from '../ui/button.tsx'
import { enlargeImage, hasRightToLeft } from '../ui/elements.tsx'
import { isOwnImage } from './marked-options.ts'

type DrawMath = (place: HTMLElement) => void
let drawMath: DrawMath | undefined
const settledMs = 300

/** Adds features beyond Markdown to sanitized prose, once: scrollable tables, copy buttons, image zoom, formulas. */
function decorateProse(root: HTMLElement): void {
  for (const table of root.querySelectorAll(':not(.table-scroll) > table')) frameTable(table)
  for (const code of root.querySelectorAll<HTMLElement>(':not(.code-inline-block) > pre')) frameCode(code)
  for (const image of root.querySelectorAll<HTMLImageElement>(':not(.image-button) > img')) frameImage(image)
  for (const reference of root.querySelectorAll<HTMLElement>('.footnote-reference')) linkReference(reference)
  for (const note of root.querySelectorAll<HTMLElement>('.footnotes > li')) linkNote(note)
  const formulas = root.querySelectorAll<HTMLElement>('.math-inline:not(.math-drawn), .math-display:not(.math-drawn)')
  if (formulas.length > 0) drawFormulas(formulas)
}

/** Lists and tables turn as a whole, with their markers and columns. Code never does. */
function turnBlock(block: Element): void {
  if (!block.matches('pre, [dir]')) block.setAttribute('dir', 'auto')
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

/** Highlights after a pause, because streaming text re-renders with every word. */
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

/** Renders cached formulas synchronously, so growing text does not flicker. */
function drawFormulas(formulas: NodeListOf<HTMLElement>): void {
  if (drawMath !== undefined) {
    formulas.forEach(drawMath)
    return
  }
  const load = async () => {
    drawMath = (await import('./draw-math.ts')).drawMath
    for (const formula of formulas) if (formula.isConnected) drawMath(formula)
  }
  // If loading fails, the source stays visible.
  load().catch(() => undefined)
}

const tags = [
  'a',
  'abbr',
  'b',
  'blockquote',
  'br',
  'cite',
  'code',
  'dd',
  'del',
  'details',
  'dl',
  'dt',
  'em',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'hr',
  'i',
  'img',
  'ins',
  'kbd',
  'li',
  'mark',
  'ol',
  'p',
  'pre',
  'q',
  's',
  'samp',
  'small',
  'span',
  'strong',
  'sub',
  'summary',
  'sup',
  'table',
  'tbody',
  'td',
  'tfoot',
  'th',
  'thead',
  'tr',
  'u',
  'ul',
  'var',
]
const attributes = [
  'align',
  'alt',
  'class',
  'colspan',
  'dir',
  'href',
  'lang',
  'open',
  'rowspan',
  'src',
  'start',
  'title',
]
const ownClass =
  /^(?:language-[\w+#.-]{1,40}|task-done|task-open|math-inline|math-display|footnote-reference|footnotes)$/
const linkAddress = /^(?:https?:\/\/|mailto:)/i

const purify = createDOMPurify(window)
// Set once, because configuring each call takes as long as the call itself.
purify.setConfig({
  ALLOWED_TAGS: tags,
  ALLOWED_ATTR: attributes,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  // These values are not URLs, so the URL rule does not apply.
  ADD_URI_SAFE_ATTR: ['align', 'colspan', 'dir', 'lang', 'open', 'rowspan', 'start'],
  ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:|data:image\/(?:png|jpeg|gif|webp);base64,|\/ai\/blobs\/)/i,
  SANITIZE_DOM: true,
  // Returns the checked DOM. Serializing and reparsing would be slower, and could change its meaning (mutation XSS).
  RETURN_DOM_FRAGMENT: true,
})

purify.addHook('uponSanitizeAttribute', (element, attribute) => {
  const { attrName, attrValue } = attribute
  if (attrName === 'class') attribute.keepAttr = ownClass.test(attrValue)
  if (attrName === 'src') attribute.keepAttr = element.nodeName === 'IMG' && isOwnImage(attrValue)
  if (attrName === 'href') attribute.keepAttr = element.nodeName === 'A' && linkAddress.test(attrValue.trim())
})

purify.addHook('afterSanitizeAttributes', (element) => {
  if (element.nodeName === 'A' && element.hasAttribute('href')) {
    element.setAttribute('target', '_blank')
    element.setAttribute('rel', 'noopener noreferrer nofollow')
  }
  if (element.nodeName !== 'IMG') return
  const source = element.getAttribute('src')
  if (source === null) element.remove()
  else element.setAttribute('src', pageAccess.link(source))
})

/** Only gate between untrusted text and the page. Does not rely on the Markdown renderer's escaping. */
function sanitizeHtml(html: string): DocumentFragment {
  return purify.sanitize(html) as unknown as DocumentFragment
}

/** Only place where untrusted markup enters the page. */
export const SafeHtml = memo(function SafeHtml({ html }: { html: string }) {
  const ref = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (ref.current === null) return
    ref.current.replaceChildren(sanitizeHtml(html))
    if (hasRightToLeft(html)) for (const block of ref.current.children) turnBlock(block)
    decorateProse(ref.current)
  }, [html])
  return <div ref={ref} className="prose-block" />
})
