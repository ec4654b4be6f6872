import { createHash } from 'node:crypto'
import { buildTools, type Store, type Tool } from '@troupe/core'
import type { Block } from './preface.ts'

/** What the newest model call of a session started with, by name and hash: to see later what has changed. */
export interface LastCall {
  at: number
  model: string
  blocks: [name: string, hash: string][]
}

export async function noteCall(
  store: Pick<Store, 'settings'>,
  sessionId: string,
  call: { model: string; blocks: readonly Block[]; tools: readonly Tool[] },
): Promise<void> {
  const noted: LastCall = { at: Date.now(), model: call.model, blocks: fingerprints(call.blocks, call.tools) }
  await store.settings.set(keyOf(sessionId), noted)
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
