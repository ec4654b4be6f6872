import { expect, test } from 'vitest'
import { createDraftStorage } from './drafts.ts'

function memory() {
  const texts = new Map<string, string>()
  return {
    texts,
    keys: () => [...texts.keys()],
    get: (key: string) => texts.get(key) ?? null,
    set: (key: string, value: string | null) => void (value === null ? texts.delete(key) : texts.set(key, value)),
  }
}

const url = `/ai/blobs/${'a'.repeat(64)}`
const there = { id: 'f1', name: 'a.txt', mediaType: 'text/plain', size: 3, url }

test('text and attachments are restored, for each chat separately', () => {
  const kept = memory()
  const composer = createDraftStorage(kept, kept.keys)
  composer.saveDraft('s1', 'half a thought')
  composer.saveAttachments('s1', [there, { ...there, id: 'f2', url: null, sent: 0.5 }])
  expect(createDraftStorage(kept, kept.keys).draft('s1')).toEqual({ draft: 'half a thought', attachments: [there] })
  expect(composer.draft('s2')).toEqual({ draft: '', attachments: [] })
  composer.saveDraft('s1', '')
  composer.saveAttachments('s1', [])
  expect(kept.texts.size).toBe(0)
})

test('a file is kept as long as a draft or a queue has it', () => {
  const kept = memory()
  const composer = createDraftStorage(kept, kept.keys)
  composer.saveAttachments('s1', [there])
  expect(composer.holds(url)).toBe(true)
  composer.saveAttachments('s1', [])
  expect(composer.holds(url)).toBe(false)
  kept.set('troupe.queue.s2', JSON.stringify({ items: [{ files: [{ url }] }] }))
  expect(composer.holds(url)).toBe(true)
})

test('a deleted session leaves nothing behind', () => {
  const kept = memory()
  const composer = createDraftStorage(kept, kept.keys)
  composer.saveDraft('s1', 'x')
  composer.saveAttachments('s1', [there])
  kept.set('troupe.queue.s1', '{}')
  composer.forget('s1')
  expect(kept.texts.size).toBe(0)
})

test('an invalid or foreign attachment is dropped', () => {
  const kept = memory()
  for (const text of ['{', '{}', JSON.stringify([null, { ...there, url: 'https://example.com/a.png' }])]) {
    kept.set('troupe.files.s1', text)
    expect(createDraftStorage(kept, kept.keys).draft('s1').attachments).toEqual([])
  }
})
