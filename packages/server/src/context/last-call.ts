import { createHash } from 'node:crypto'
import { buildTools, dataParts, type Store, type StoredMessage, type Tool } from '@troupe/core'
import type { Block } from './preface.ts'

/** What the newest model call of a session started with, by name and hash: to see later what has changed. */
export interface LastCall {
  at: number
  model: string
  /** The message that it answered. */
  userMessageId: string
  /** Compactions that a person had switched off. */
  undone: string[]
  blocks: [name: string, hash: string][]
}

export async function noteCall(
  store: Pick<Store, 'settings'>,
  sessionId: string,
  call: {
    model: string
    blocks: readonly Block[]
    tools: readonly Tool[]
    userMessageId: string
    history: readonly StoredMessage[]
  },
): Promise<void> {
  const { model, userMessageId, history } = call
  const noted: LastCall = {
    at: Date.now(),
    model,
    userMessageId,
    undone: undoneIn(history),
    blocks: fingerprints(call.blocks, call.tools),
  }
  await store.settings.set(keyOf(sessionId), noted)
}

/** What of the next call is not as the newest one began, by name; the first such thing. */
export function brokenBy(
  last: LastCall,
  now: { blocks: LastCall['blocks']; chain: readonly StoredMessage[] },
): string | undefined {
  const { blocks, chain } = now
  const at = Math.max(blocks.length, last.blocks.length)
  for (let i = 0; i < at; i++) {
    const [before, after] = [last.blocks[i], blocks[i]]
    if (before?.[0] === after?.[0] && before?.[1] === after?.[1]) continue
    const isGone = before !== undefined && !blocks.some(([name]) => name === before[0])
    return isGone ? `${before[0]} (left out)` : (after ?? before)?.[0]
  }
  if (!chain.some(({ id }) => id === last.userMessageId)) return 'another branch'
  return undoneIn(chain).join() === last.undone.join() ? undefined : 'a summary that was switched'
}

function undoneIn(messages: readonly StoredMessage[]): string[] {
  return messages
    .flatMap(({ parts }) => parts)
    .flatMap((part) => {
      const data = part.type === 'data-compaction' ? dataParts.compaction.schema.safeParse(part.data).data : undefined
      return data?.off === true ? [data.id] : []
    })
}

export async function lastCall(store: Pick<Store, 'settings'>, sessionId: string): Promise<LastCall | undefined> {
  return (await store.settings.get(keyOf(sessionId))) as LastCall | undefined
}

export function forgetCall(store: Pick<Store, 'settings'>, sessionId: string): Promise<void> {
  return store.settings.set(keyOf(sessionId), undefined)
}

/** Tools come first in what providers cache, then the instructions. */
export function fingerprints(blocks: readonly Block[], tools: readonly Tool[]): LastCall['blocks'] {
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)
  return [
    ['tools', hash(JSON.stringify(buildTools(tools)))],
    ...blocks.map(({ name, text }): [string, string] => [name, hash(text)]),
  ]
}

function keyOf(sessionId: string): string {
  return `last-call:${sessionId}`
}
