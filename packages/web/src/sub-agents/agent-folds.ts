import { createFold } from '@troupe/core/protocol'
import type { Chunk, Fold } from '@troupe/core/protocol'
import { partData } from '../chat/data-of.ts'
import { readActivity } from './read-activity.ts'
import type { Activity } from './read-activity.ts'

interface Turn {
  fold: Fold
  tokens: number
}

interface TurnUpdate {
  activity: Activity
  tokens: number
}

/** The turns that agents are at. A chunk costs an append; what has become of them is worked out when it is read. */
export function createAgentTurns() {
  const turns = new Map<string, Turn>()
  const changed = new Set<string>()

  return { take, read, readAll, forget, forgetAllBut }

  function take(agentId: string, chunk: Chunk): void {
    let turn = turns.get(agentId)
    if (turn === undefined || chunk.type === 'start') {
      // Told more, it begins another turn; and a stream that is sent anew begins at its beginning.
      turn = { fold: createFold(), tokens: 0 }
      turns.set(agentId, turn)
    }
    turn.fold.push(chunk)
    const usage = partData(chunk, 'usage')
    if (usage !== undefined) turn.tokens = usage.totalTokens
    changed.add(agentId)
  }

  /** What one is at; undefined when there is no news. */
  function read(agentId: string): TurnUpdate | undefined {
    const turn = turns.get(agentId)
    if (turn === undefined || !changed.delete(agentId)) return undefined
    return { activity: readActivity(turn.fold.snapshot()), tokens: turn.tokens }
  }

  /** All of which there is news. */
  function readAll(): [agentId: string, news: TurnUpdate][] {
    return [...changed].flatMap((agentId): [string, TurnUpdate][] => {
      const news = read(agentId)
      return news === undefined ? [] : [[agentId, news]]
    })
  }

  function forget(agentId: string): void {
    turns.delete(agentId)
    changed.delete(agentId)
  }
  function forgetAllBut(kept: ReadonlySet<string>): void {
    for (const agentId of turns.keys()) if (!kept.has(agentId)) forget(agentId)
  }
}
