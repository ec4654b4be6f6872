import type { DataParts } from '@troupe/core/protocol'
import { Archive } from 'lucide-react'
import { t } from '../texts/t.ts'

/** Results of tools that the model is told as pointers from here on. */
export function TrimPart({ trim }: { trim: DataParts['trim'] }) {
  return (
    <p className="mark mark-small" title={t.chat.inFolder(trim.folder)}>
      <Archive aria-hidden />
      <span>{t.chat.setAside}</span>
    </p>
  )
}
