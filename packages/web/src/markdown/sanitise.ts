import createDOMPurify from 'dompurify'
import { pageAccess } from '../api/page-access.ts'
import { isOwnImage } from './marked-options.ts'

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
// Once and for all: with every call it would take as long as the call itself.
purify.setConfig({
  ALLOWED_TAGS: tags,
  ALLOWED_ATTR: attributes,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  // Values that are no addresses, so the rule for addresses does not concern them.
  ADD_URI_SAFE_ATTR: ['align', 'colspan', 'dir', 'lang', 'open', 'rowspan', 'start'],
  ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:|data:image\/(?:png|jpeg|gif|webp);base64,|\/ai\/blobs\/)/i,
  SANITIZE_DOM: true,
  // As it was checked, not as text that is read a second time: that is quicker, and nothing can become something else.
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

/** The one gate between text of others and the page. What markdown makes of it is tame already; this does not rely on that. */
export function sanitizeHtml(html: string): DocumentFragment {
  return purify.sanitize(html) as unknown as DocumentFragment
}
