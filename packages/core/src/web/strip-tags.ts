/**
 * Extracts the text of a page without building a tree, for pages too large or too unusual for that. Runs in linear time
 * for any input.
 */
export function stripTags(html: string): string {
  const lower = html.toLowerCase()
  const parts: string[] = []
  let at = 0
  while (at < html.length) {
    const open = html.indexOf('<', at)
    parts.push(html.slice(at, open === -1 ? html.length : open).replace(/\s+/g, ' '))
    if (open === -1) break
    const name = tagName(lower, open + 1)
    if (name === undefined) {
      parts.push('<')
      at = open + 1
      continue
    }
    at = elementEnd(lower, open, name)
    parts.push(blockTags.has(name.replace('/', '')) ? '\n' : '')
  }
  return decodeEntities(parts.join(''))
    .replace(/[^\S\n]*\n\s*/g, '\n')
    .trim()
}

/** Includes the slash of a closing tag. `!` is a comment or a declaration. */
function tagName(lower: string, at: number): string | undefined {
  const name = /\/?[a-z][a-z0-9-]{0,30}|!|\?/y
  name.lastIndex = at
  return name.exec(lower)?.[0]
}

function elementEnd(lower: string, open: number, name: string): number {
  const isComment = lower.startsWith('<!--', open)
  const closing = isComment ? '-->' : skippedTags.has(name) ? `</${name}` : '>'
  const end = lower.indexOf(closing, open + 1)
  // An unclosed tag extends to the end of the page.
  if (end === -1) return lower.length
  if (!skippedTags.has(name)) return end + closing.length
  const close = lower.indexOf('>', end)
  return close === -1 ? lower.length : close + 1
}

const skippedTags = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'head'])
const blockTags = new Set(
  'address article aside blockquote br dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table td th tr ul'.split(
    ' ',
  ),
)

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return entities[name.toLowerCase()] ?? whole
      const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal)
      return code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? '\ufffd' : String.fromCodePoint(code)
    },
  )
}

const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  mdash: '—',
  ndash: '–',
  hellip: '…',
  copy: '©',
}
