const kept =
  'abbr|b|blockquote|br|cite|code|dd|del|details|dl|dt|em|h[1-6]|hr|i|ins|kbd|li|mark|ol|p|pre|q|s|samp|small|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul|var'
const plainTag = new RegExp(
  `<!--[\\s\\S]*?-->|</?(?:${kept})(?: open)?\\s*/?>|&(?:#\\d+|#x[\\da-f]+|\\w+);|[<>&"]`,
  'gi',
)
const escapes: Record<string, string> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' }

/**
 * HTML inside markdown: tags that only shape text stay, without attributes; comments go; everything else is shown as the
 * text that it is. So nothing that could act ever reaches a parser, and the sanitiser behind this has an easy life.
 */
export function keepPlainTags(html: string): string {
  return html.replaceAll(plainTag, (found) => {
    if (found.startsWith('<!--')) return ''
    return escapes[found] ?? found
  })
}
