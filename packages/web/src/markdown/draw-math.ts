import createDOMPurify from 'dompurify'
import temml from 'temml'
import 'temml/dist/Temml-Local.css'
import { mathAt } from './marked-options.ts'

/** Sanitizer for formulas only: MathML with the few classes and styles of temml, and no URLs. */
const purify = createDOMPurify(window)
const measures = /^(?:[a-z-]{1,40}:[ ]?[-+\w.%# ,()]{0,80};?[ ]?){0,12}$/i

purify.addHook('uponSanitizeAttribute', (_, attribute) => {
  const { attrName, attrValue } = attribute
  if (attrName === 'style') attribute.keepAttr = measures.test(attrValue) && !/url|expression|import/i.test(attrValue)
  if (attrName === 'class') attribute.keepAttr = /^[\w -]{1,80}$/.test(attrValue)
})

const kept = new Map<string, HTMLElement>()
const mostKept = 500

/** Replaces the source with the rendered formula. Invalid or oversized formulas stay as source. */
export function drawMath(place: HTMLElement): void {
  const source = place.textContent
  const drawn = kept.get(source) ?? draw(source)
  if (drawn === undefined) return
  if (kept.size > mostKept) kept.clear()
  kept.set(source, drawn)
  place.replaceChildren(...[...drawn.childNodes].map((node) => node.cloneNode(true)))
  place.classList.add('math-drawn')
}

function draw(source: string): HTMLElement | undefined {
  const formula = mathAt(source)
  if (formula === undefined) return undefined
  const box = document.createElement('span')
  try {
    temml.render(formula.tex, box, {
      displayMode: formula.display,
      throwOnError: true,
      trust: false,
      strict: false,
      maxSize: [10, 10],
      maxExpand: 300,
      annotate: false,
    })
  } catch {
    // Invalid TeX or over the limits: keep the source.
    return undefined
  }
  purify.sanitize(box, {
    IN_PLACE: true,
    USE_PROFILES: { mathMl: true },
    ADD_TAGS: ['span'],
    ADD_ATTR: ['class', 'style'],
    FORBID_TAGS: ['maction', 'mglyph', 'annotation-xml', 'semantics', 'annotation'],
    FORBID_ATTR: ['href', 'xlink:href', 'id', 'src'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  })
  return box
}
