import { visiblePieces } from '@troupe/core/protocol'
import type { Strictness } from '@troupe/core/protocol'
import { t } from '../texts/t.ts'
import './visible-text.css'

/** Beyond this it is not text, and marks would only cost. */
const mostMarks = 2000

/** Text of others, with what cannot be seen in it made visible. */
export function VisibleText({ text, as = 'text' }: { text: string; as?: Strictness }) {
  const pieces = visiblePieces(text, as)
  const shown = pieces.map((piece) => (typeof piece === 'string' ? piece : `⟨${piece.codePoint}⟩`))
  if (pieces.length > mostMarks) return shown.join('')
  return pieces.map((piece, index) =>
    typeof piece === 'string' ? (
      piece
    ) : (
      <span key={index} className="odd-character" title={t.ui.oddCharacter(piece.codePoint)}>
        {shown[index]}
      </span>
    ),
  )
}
