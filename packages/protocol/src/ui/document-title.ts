const maxTitle = 120

/** The title that a document gives itself. */
export function documentTitle(kind: string, text: string): string | undefined {
  const start = text.slice(0, 100_000)
  const title = titleIn(kind, start)?.replaceAll(/\s+/g, ' ').trim().toWellFormed() ?? ''
  return title === '' ? undefined : cutTitle(title)
}

/** Cuts a long title at a word. */
export function cutTitle(title: string): string {
  if (title.length <= maxTitle) return title
  const start = title.slice(0, maxTitle).replace(/[\uD800-\uDBFF]$/, '')
  return `${start.replace(/\s+\S*$/, '')}…`
}

function titleIn(kind: string, text: string): string | undefined {
  switch (kind) {
    case 'html':
    case 'svg': {
      const title = /<title[^>]*>([^<]+)<\/title>/i.exec(text)?.[1]
      return title ?? /<h1[^>]*>([\s\S]*?)<\/h1>/i.exec(text)?.[1]?.replaceAll(/<[^>]*>/g, '')
    }
    case 'markdown':
      return /^#\s+(.+)$/m.exec(text)?.[1]
    case 'mermaid':
      return /^\s*title:?\s+(.+)$/m.exec(text)?.[1]
    default:
      return undefined
  }
}
