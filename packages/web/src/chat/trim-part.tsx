import type { DataParts } from '@troupe/core/protocol'
import { Archive } from 'lucide-react'

/** Results of tools that the model is told as pointers from here on. */
export function TrimPart({ trim }: { trim: DataParts['trim'] }) {
  return (
    <p className="mark mark-small" title={`In ${trim.folder}`}>
      <Archive aria-hidden />
      <span>Long results of older calls were set aside; the model reads them from files where it needs them</span>
    </p>
  )
}
