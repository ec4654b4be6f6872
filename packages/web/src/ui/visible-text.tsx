import { visiblePieces } from './odd-characters.ts'
import './visible-text.css'

/** Beyond this it is not text, and marks would only cost. */
const mostMarks = 2000

/** Text of others, with what cannot be seen in it made visible. `exact` also tells blanks from spaces. */
export function VisibleText({ text, exact = false }: { text: string; exact?: boolean }) {
  const pieces = visiblePieces(text, { exact })
  const shown = pieces.map((piece) => (typeof piece === 'string' ? piece : `⟨${piece.codePoint}⟩`))
  if (pieces.length > mostMarks) return shown.join('')
  return pieces.map((piece, index) =>
    typeof piece === 'string' ? (
      piece
    ) : (
      <span key={index} className="odd-character" title={`A character that cannot be seen: ${piece.codePoint}`}>
        {shown[index]}
      </span>
    ),
  )
}
