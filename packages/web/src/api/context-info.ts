/** What the next model call of a session will be sent, as `GET /ai/sessions/:id/context` tells it. */
export interface ContextInfo {
  model: string
  /** How many tokens the model takes; null where nobody has said. */
  window: number | null
  total: { tokens: number; cost?: number }
  /** In the order in which the model is told them. */
  pieces: ContextPiece[]
  cache: {
    lastCallAt: number | null
    /** The newest call went to another model. */
    modelChanged: boolean
    /** The first piece, by its name, that the newest call was not sent in the same way; all tools are `tools`. */
    brokenBy: string | null
    /** Of the newest answer. */
    inputTokens?: number
    cachedInputTokens?: number
  }
}

export type PieceKind = 'tool' | 'instructions' | 'summary' | 'message'

export interface ContextPiece {
  kind: PieceKind
  name: string
  tokens: number
  /** In dollars, as if nothing came from a cache. */
  cost?: number
  messageId?: string
  changed?: boolean
}
