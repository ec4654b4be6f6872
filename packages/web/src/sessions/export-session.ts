import { pageAccess } from '../api/page-access.ts'
import { t } from '../texts/t.ts'

export type ExportFormat = 'md' | 'json' | 'html'

/** Downloads a session; `leaf`: the end of the branch that a document is made of, JSON has all of them. It speaks the language of the page. */
export function exportSession(sessionId: string, format: ExportFormat, leaf: string | undefined): void {
  const query = new URLSearchParams({
    format,
    lang: t.tag,
    ...(leaf !== undefined && format !== 'json' && { branch: leaf }),
  })
  const link = document.createElement('a')
  link.href = pageAccess.link(`/ai/sessions/${encodeURIComponent(sessionId)}/export?${query}`)
  link.download = ''
  link.click()
}
