import type { ContextPiece, PieceKind } from '../api/context-info.ts'
import { t } from '../texts/t.ts'

export interface KindSum {
  kind: PieceKind
  label: string
  count: number
  tokens: number
}

const kinds: readonly PieceKind[] = ['tool', 'instructions', 'summary', 'message']

/** How much is of which kind, in the order in which the model is told it. */
export function sumByKind(pieces: readonly ContextPiece[]): KindSum[] {
  return kinds.flatMap((kind) => {
    const own = pieces.filter((piece) => piece.kind === kind)
    if (own.length === 0) return []
    return {
      kind,
      label: t.context.kinds[kind],
      count: own.length,
      tokens: own.reduce((sum, { tokens }) => sum + tokens, 0),
    }
  })
}
