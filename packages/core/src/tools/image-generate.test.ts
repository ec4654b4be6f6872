import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { NamedError } from '../../../protocol/src/error.ts'
import type { GeneratedMedia } from '../media/make-media.ts'
import { testToolContext } from '../testing/test-tool-context.ts'
import type { Media, MediaRequest, MediaTask } from '../tool/services.ts'
import imageGenerate from './image-generate.ts'
import videoGenerate from './video-generate.ts'

const file = { sha256: 'a'.repeat(64), mediaType: 'image/png', size: 3, url: `/ai/blobs/${'a'.repeat(64)}` }

function fakeMedia(end: Partial<MediaTask> = { status: 'done', files: [file] }): Media & { asked: MediaRequest[] } {
  const asked: MediaRequest[] = []
  const task = (request: MediaRequest): MediaTask => ({
    id: 'task_1',
    kind: request.kind,
    model: 'demo/painter',
    prompt: request.prompt,
    status: 'running',
    files: [],
    warnings: [],
    createdAt: 0,
  })
  return {
    asked,
    start(request) {
      asked.push(request)
      return Promise.resolve(task(request))
    },
    get: () => Promise.resolve(undefined),
    ended: () => Promise.resolve({ ...task(asked.at(-1) as MediaRequest), ...end }),
  }
}

function open(media?: Media): {
  ctx: ReturnType<typeof testToolContext>
  emitted: [string, unknown][]
  folder: string
} {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-media-'))
  const emitted: [string, unknown][] = []
  const ctx = testToolContext({
    workspace: { id: 'w', path: folder },
    emit: (name: string, data: unknown) => void emitted.push([name, data]),
    media,
  })
  return { ctx, emitted, folder }
}

test('the stream tells when a picture begins and ends, and the model reads who made it', async () => {
  const media = fakeMedia()
  const { ctx, emitted } = open(media)
  const input = imageGenerate.input.parse({ prompt: 'hills', count: 2, aspect_ratio: '16:9' })
  const output = await imageGenerate.execute(input, ctx)
  expect(media.asked).toMatchObject([{ kind: 'image', prompt: 'hills', count: 2, aspectRatio: '16:9' }])
  expect(emitted).toMatchObject([
    ['media-generate-start', { taskId: 'task_1', kind: 'image', model: 'demo/painter' }],
    ['media-generate-end', { taskId: 'task_1', files: [file] }],
  ])
  expect(imageGenerate.toModel?.(output as GeneratedMedia, input)).toBe(
    '1 picture made by demo/painter and shown to the person.',
  )
})

test('while it is made the stream tells the time, and how far it is only where that is known', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  for (const known of [{}, { progress: 0.4 }]) {
    const made = Promise.withResolvers<MediaTask>()
    const task: MediaTask = { ...(await fakeMedia().start({ kind: 'image', prompt: 'hills' })), ...known }
    const { ctx, emitted } = open({
      start: () => Promise.resolve(task),
      get: () => Promise.resolve(task),
      ended: () => made.promise,
    })
    const making = imageGenerate.execute(imageGenerate.input.parse({ prompt: 'hills' }), ctx)
    await vi.advanceTimersByTimeAsync(4500)
    made.resolve({ ...task, status: 'done', files: [file] })
    await making
    await vi.advanceTimersByTimeAsync(4500)
    const { toolCallId } = ctx
    expect(emitted.slice(1, -1)).toEqual([
      ['media-generate-progress', { taskId: 'task_1', elapsedMs: 2000, ...known, toolCallId }],
      ['media-generate-progress', { taskId: 'task_1', elapsedMs: 4000, ...known, toolCallId }],
    ])
    expect(emitted.at(-1)?.[0]).toBe('media-generate-end')
  }
})

test('what went wrong is told with its code, and thrown', async () => {
  const broke = fakeMedia({ status: 'failed', errorCode: 'insufficient_credits', message: 'No money is left.' })
  const refused: Media = {
    ...fakeMedia(),
    start: () => Promise.reject(new NamedError('ModelNotFound', 'No model.', { data: { errorCode: 'no_model' } })),
  }
  for (const [media, errorCode, message] of [
    [broke, 'insufficient_credits', 'No money is left.'],
    [refused, 'no_model', 'No model.'],
    [undefined, 'no_model', 'Nothing here can make'],
  ] as const) {
    const { ctx, emitted } = open(media)
    await expect(imageGenerate.execute(imageGenerate.input.parse({ prompt: 'x' }), ctx)).rejects.toThrow(message)
    expect(emitted.at(-1)).toMatchObject(['media-generate-error', { errorCode }])
  }
})

test('a film may begin with a picture of the workspace, and with nothing else', async () => {
  const media = fakeMedia()
  const { ctx, folder } = open(media)
  writeFileSync(path.join(folder, 'a.png'), Buffer.from('89504e470d0a1a0a00000000', 'hex'))
  writeFileSync(path.join(folder, 'a.txt'), 'words')
  await videoGenerate.execute(videoGenerate.input.parse({ prompt: 'x', image: 'a.png', seconds: 5 }), ctx)
  expect(media.asked[0]).toMatchObject({ kind: 'video', seconds: 5, images: [{ mediaType: 'image/png' }] })
  await expect(
    (async () => videoGenerate.execute(videoGenerate.input.parse({ prompt: 'x', image: 'a.txt' }), ctx))(),
  ).rejects.toThrow('a.txt is not a picture')
  await expect(
    (async () => videoGenerate.execute(videoGenerate.input.parse({ prompt: 'x', image: '/etc/hosts' }), ctx))(),
  ).rejects.toThrow('/etc/hosts')
  await expect(
    (async () => videoGenerate.execute(videoGenerate.input.parse({ prompt: 'x', image: 'gone.png' }), ctx))(),
  ).rejects.toThrow('There is no picture gone.png')
})

test('sizes that are none are refused', () => {
  for (const size of ['big', '10', '1024 x 1024', '-1x5', '1e9x2'])
    expect(imageGenerate.input.safeParse({ prompt: 'x', size }).success).toBe(false)
})
