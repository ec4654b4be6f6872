import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { DocumentPart, DocumentText } from '@troupe/core'
import { afterAll } from 'vitest'
import { respond } from '../read-document.ts'

/** Reads content that a test makes, as a reader process does. Call it once at the top of a test file. */
export function madeDocuments(): (
  name: string,
  content: string | Uint8Array,
  part?: DocumentPart,
) => Promise<DocumentText> {
  const folder = mkdtempSync(path.join(tmpdir(), 'made-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return async (name, content, part = {}) => {
    const file = path.join(folder, name)
    writeFileSync(file, content)
    const { text, error } = await respond({ kind: 'read', file: { path: file }, part, ms: 30_000, workMs: 30_000 })
    if (text === undefined) throw new Error(error)
    return text
  }
}
