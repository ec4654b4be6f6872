import type { Blobs } from '@troupe/core'
import { expect, onTestFinished, test } from 'vitest'
import type { Models } from '../models/models.ts'
import { openMedia } from './open-media.ts'

test('a task whose result cannot be stored fails for its caller, and affects nothing else', async () => {
  const unheard: unknown[] = []
  const hear = (error: unknown): void => void unheard.push(error)
  process.on('unhandledRejection', hear)
  onTestFinished(() => void process.off('unhandledRejection', hear))
  const made = Promise.withResolvers<{ files: []; warnings: [] }>()
  let writes = 0
  const media = openMedia({
    models: {
      resolveMediaModel: () => Promise.resolve({ id: 'test/paint', definition: {}, make: () => made.promise }),
      redact: (text: string) => text,
    } as unknown as Models,
    blobs: {} as Blobs,
    store: {
      settings: {
        get: () => Promise.resolve([]),
        update: () => (++writes > 2 ? Promise.reject(new Error('the disk is full')) : Promise.resolve()),
      },
    } as never,
    spending: {
      mediaGuard: () => ({ check: () => undefined, admit: () => Promise.resolve({ close: () => undefined }) }),
    },
    ownFolder: '/work',
  })
  const [waited] = [
    await media.start({ kind: 'image', prompt: 'a' }),
    await media.start({ kind: 'image', prompt: 'b' }),
  ]
  const ended = media.ended(waited.id)
  made.resolve({ files: [], warnings: [] })
  await expect(ended).rejects.toThrow('full')
  await media.close()
  await new Promise((resolve) => {
    setImmediate(resolve)
  })
  expect(unheard).toEqual([])
})
