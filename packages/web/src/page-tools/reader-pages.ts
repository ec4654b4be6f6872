import type { Api } from '../api/api.ts'
import type { ReadablePage } from '../api/page-info.ts'

/** Pages of the web as text to read, each fetched once by the server. */
export interface ReaderPages {
  /** `here`: the person wants a page of this machine. `again`: not the one that was read before. */
  read(url: string, options?: { here?: boolean; again?: boolean }): Promise<ReadablePage>
}

const most = 30

export function createReaderPages(api: Pick<Api, 'readWebPage'>): ReaderPages {
  const pages = new Map<string, Promise<ReadablePage>>()
  return {
    read(url, { here = false, again = false } = {}) {
      const known = pages.get(url)
      if (known !== undefined && !again) return known
      const page = api.readWebPage(url, here).then((answer) => answer.page)
      pages.delete(url)
      pages.set(url, page)
      page.catch(() => pages.delete(url))
      const oldest = pages.keys().next().value
      if (pages.size > most && oldest !== undefined) pages.delete(oldest)
      return page
    },
  }
}

/** Pages of this machine are read only when the person says so. */
export function isLocalAddress(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? ''
  return host === 'localhost' || host.endsWith('.localhost') || host.startsWith('127.') || host === '[::1]'
}
