import type { Part } from '@troupe/core/protocol'

export interface AnswerSource {
  key: string
  title: string
  /** The site, as the browser would go there: letters that only look like others are told apart. */
  place: string | undefined
  /** Absent where it is no page of the web. */
  url: string | undefined
  letter: string
}

/** The sources that an answer names, each once. */
export function readSources(parts: readonly Part[]): AnswerSource[] {
  const sources = new Map<string, AnswerSource>()
  for (const part of parts) {
    if (part.type === 'source-url') {
      const page = pageOf(part.url)
      const place = page?.host.replace(/^www\./, '')
      const title = part.title?.trim() || place || part.url
      const key = page?.href ?? part.url
      if (!sources.has(key)) sources.set(key, { key, title, place, url: page?.href, letter: letterOf(place ?? title) })
    } else if (part.type === 'source-document') {
      const title = part.title.trim() || part.filename || part.mediaType
      sources.set(part.sourceId, {
        key: part.sourceId,
        title,
        place: part.filename,
        url: undefined,
        letter: letterOf(title),
      })
    }
  }
  return [...sources.values()]
}

function pageOf(url: string): URL | undefined {
  const page = URL.parse(url)
  return page !== null && /^https?:$/.test(page.protocol) && page.username === '' && page.password === ''
    ? page
    : undefined
}

function letterOf(text: string): string {
  return /[\p{L}\p{N}]/u.exec(text)?.[0].toUpperCase() ?? '?'
}
