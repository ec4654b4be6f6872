import type { FetchOptions } from './fetch-url.ts'

export interface WebPage {
  /** URL after redirects. */
  url: string
  status: number
  title: string
  mediaType: string
  /** Markdown, or plain text as received. Empty if there is none. */
  text: string
  isMarkdown: boolean
  note?: string
}

const maxLength = 400_000

/** Fetches a page under the same guard as WebFetch and returns its readable content. */
export async function readWebPage(given: string, options: FetchOptions): Promise<WebPage> {
  const [{ fetchUrl }, { pageKind, mediaTypeOf }, { decodeText }, { readPage }] = await Promise.all([
    import('./fetch-url.ts'),
    import('./read-page.ts'),
    import('./read-page.ts'),
    import('./read-page.ts'),
  ])
  const { url, status, contentType, body } = await fetchUrl(given, options)
  const page = { url, status, title: '', mediaType: mediaTypeOf(contentType), isMarkdown: false }
  const kind = pageKind(contentType, body)
  if (kind.kind === 'binary') return { ...page, text: '', note: `This is not text (${kind.name || 'unknown'}).` }
  const text = decodeText(body, contentType)
  if (kind.kind === 'text')
    return { ...page, text: text.slice(0, maxLength).toWellFormed(), isMarkdown: page.mediaType === 'text/markdown' }
  const read = await readPage({ html: text, url, format: 'markdown' }, options.signal)
  return {
    ...page,
    title: read.title,
    text: read.text.slice(0, maxLength).toWellFormed(),
    isMarkdown: true,
    note: read.note,
  }
}
