import type { ContextPiece, PieceKind } from '../api/context-info.ts'

export interface KindSum {
  kind: PieceKind
  label: string
  count: number
  tokens: number
}

const labels: [PieceKind, string][] = [
  ['tool', 'Tools'],
  ['instructions', 'Instructions'],
  ['summary', 'Summary'],
  ['message', 'Messages'],
]

/** How much is of which kind, in the order in which the model is told it. */
export function kindsIn(pieces: readonly ContextPiece[]): KindSum[] {
  return labels.flatMap(([kind, label]) => {
    const own = pieces.filter((piece) => piece.kind === kind)
    if (own.length === 0) return []
    return { kind, label, count: own.length, tokens: own.reduce((sum, { tokens }) => sum + tokens, 0) }
  })
}
