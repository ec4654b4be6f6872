/** Text of a document without characters that nobody sees, which would only confuse a model. */
export function cleanText(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\u00AD\uFEFF\uFFFE\uFFFF]/g, '').toWellFormed()
}

/** One line: white space of any kind becomes one space. */
export function oneLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim()
}

/** A name from inside a file, such as an entry of an archive, with invisible and misleading characters escaped. */
export function shownName(name: string): string {
  const escaped = name
    .slice(0, 500)
    .toWellFormed()
    // eslint-disable-next-line no-control-regex
    .replace(/[\u0000-\u001F\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFFD\\`]/g, escapeCharacter)
  return name.length > 500 ? `${escaped}…` : escaped
}

function escapeCharacter(character: string): string {
  if (character === '\\') return '\\\\'
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** A Markdown link, or only its text if the target is missing or repeats it. */
export function markdownLink(text: string, target: string | undefined): string {
  const url = target === undefined ? '' : oneLine(target).replaceAll(' ', '%20')
  if (url === '' || /^javascript:|^data:/i.test(url)) return text
  if (text.trim() === '') return ''
  if (text.trim() === url || `mailto:${text.trim()}` === url) return text
  return `[${text}](${url.length > 500 ? `${url.slice(0, 500)}…` : url})`
}

/** A picture by its description and its name in the document. */
export function markdownPicture(description: string | undefined, name: string | undefined): string {
  return `![${oneLine(description ?? '').slice(0, 1000)}](${shownName(name ?? '')})`
}

/** In the place of a cell that belongs to the merged cell above or on the left. */
export const mergedAbove = '↑'
export const mergedLeft = '←'

/** Rows as lines of a Markdown table. The first row is its head. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(0, ...rows.map(({ length }) => length))
  if (width === 0) return []
  const lines = rows.map(
    (row) => `| ${[...row, ...Array<string>(width - row.length).fill('')].map(cell).join(' | ')} |`,
  )
  return [lines[0]!, `|${'---|'.repeat(width)}`, ...lines.slice(1)]
}

function cell(text: string): string {
  return cleanText(text)
    .trim()
    .replaceAll('|', '\\|')
    .replace(/\s*\n\s*/g, '<br>')
}
