import { expect, test } from 'vitest'
import type { ContextPiece, PieceKind } from '../api/session-types.ts'
import { pieceTitle } from './context-pieces.tsx'

const piece = (kind: PieceKind, name: string): ContextPiece => ({ kind, name, tokens: 1 })
const said = (text: string) => ({ parts: [{ type: 'text' as const, text }] })

test('pieces are called as people call them, and answers by how they begin', () => {
  expect(pieceTitle(piece('tool', 'Read'), undefined)).toBe('Read')
  expect(pieceTitle(piece('instructions', 'plan mode'), undefined)).toBe('Plan mode')
  expect(pieceTitle(piece('instructions', 'notes /home/me/AGENTS.md'), undefined)).toBe(
    'Instructions from /home/me/AGENTS.md',
  )
  expect(pieceTitle(piece('message', 'user: hello'), undefined)).toBe('You: hello')
  expect(pieceTitle(piece('message', 'assistant'), undefined)).toBe('Answer')
  expect(pieceTitle(piece('message', 'assistant'), said('**Two** things:\n\n- one'))).toBe('Answer: Two things: one')
  expect(pieceTitle(piece('message', 'assistant'), said('word '.repeat(100)))).toHaveLength('Answer: '.length + 91)
})
