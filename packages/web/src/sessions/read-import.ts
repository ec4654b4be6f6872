import { t } from '../texts/t.ts'

export interface ImportReport {
  sessions: {
    sessionId: string
    title: string
    source: string
    state: 'added' | 'grown' | 'known'
    conflicts: number
  }[]
  problems: { where: string; message: string }[]
}

export interface ImportProgress {
  bytes: number
  of: number
  sessions: number
}

/** The report at the end of an import's answer; what comes before it is told as it comes. */
export async function readImport(
  body: ReadableStream<Uint8Array>,
  onProgress: (progress: ImportProgress) => void,
): Promise<ImportReport> {
  const decoder = new TextDecoder()
  let rest = ''
  for (const reader = body.getReader(); ;) {
    const { done, value } = await reader.read()
    rest += decoder.decode(value, { stream: !done })
    const lines = rest.split('\n')
    rest = done ? '' : (lines.pop() ?? '')
    for (const line of lines) {
      if (line.trim() === '') continue
      const said = JSON.parse(line) as { progress?: ImportProgress; report?: ImportReport; error?: { message: string } }
      if (said.error !== undefined) throw new Error(said.error.message)
      if (said.report !== undefined) return said.report
      if (said.progress !== undefined) onProgress(said.progress)
    }
    if (done) throw new Error(t.sessions.importCut)
  }
}
