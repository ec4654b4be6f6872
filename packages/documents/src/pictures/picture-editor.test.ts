import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { PictureAction, PictureRequest } from '@troupe/core'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createPictureEditor } from './create-picture-editor.ts'
import { editPicture } from './edit-picture.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'pictures-'))
const red = path.join(folder, 'red.png')
writeFileSync(
  red,
  await sharp({ create: { width: 40, height: 20, channels: 3, background: 'red' } })
    .png()
    .toBuffer(),
)
const { signal } = new AbortController()

const edit = (actions: readonly PictureAction[], more: Partial<PictureRequest> = {}) =>
  editPicture({ path: red, actions, format: 'png', ...more })

const pixelAt = async (bytes: Uint8Array, left: number, top: number) =>
  Array.from(await sharp(bytes).ensureAlpha().extract({ left, top, width: 1, height: 1 }).raw().toBuffer())

test('an image is edited in another process and keeps what no step changes', async () => {
  const actions: PictureAction[] = [{ action: 'crop', left: 10, top: 0, width: 10, height: 20 }]
  const { bytes, width, height } = await createPictureEditor().edit({ path: red, actions, format: 'webp' }, signal)
  expect({ width, height, format: (await sharp(bytes).metadata()).format }).toEqual({
    width: 10,
    height: 20,
    format: 'webp',
  })
})

test.each<[string, PictureAction[], [number, number]]>([
  ['resize', [{ action: 'resize', width: 20, fit: 'inside' }], [20, 10]],
  ['rotate', [{ action: 'rotate', degrees: 90 }], [20, 40]],
  ['extend', [{ action: 'extend', left: 5, top: 5, right: 5, bottom: 5 }], [50, 30]],
  ['flip', [{ action: 'flip', direction: 'vertical' }], [40, 20]],
  [
    'several',
    [
      { action: 'rotate', degrees: 90 },
      { action: 'crop', left: 0, top: 30, width: 20, height: 10 },
    ],
    [20, 10],
  ],
])('%s', async (_, actions, [width, height]) => {
  expect(await edit(actions)).toMatchObject({ width, height })
})

test('another image is put on top, and text is written', async () => {
  const canvas = { width: 100, height: 60, background: 'white' }
  const { bytes } = await edit([{ action: 'compose', image: red, left: 0, top: 0, opacity: 1 }], {
    path: undefined,
    canvas,
  })
  expect(await pixelAt(bytes, 5, 5)).toEqual([255, 0, 0, 255])
  expect(await pixelAt(bytes, 90, 50)).toEqual([255, 255, 255, 255])
  const faint = await edit([{ action: 'compose', image: red, left: 0, top: 0, opacity: 0.5 }], {
    path: undefined,
    canvas,
  })
  expect((await pixelAt(faint.bytes, 5, 5))[1]).toBeGreaterThan(100)
  const written = await edit(
    [{ action: 'text', text: '<Hi> & 你好', size: 30, color: 'blue', font: 'sans', anchor: 'center' }],
    { path: undefined, canvas },
  )
  const { channels } = await sharp(written.bytes).stats()
  expect(channels[0]?.min).toBeLessThan(100)
})

test('problems name the step and the cause', async () => {
  await expect(edit([{ action: 'crop', left: 30, top: 0, width: 20, height: 20 }])).rejects.toThrow(
    'Step 1 (crop) failed: the area leaves the image, which has 40 x 20 pixels.',
  )
  await expect(edit([{ action: 'resize', fit: 'fill' }])).rejects.toThrow('give "width", "height" or both')
  await expect(edit([{ action: 'resize', width: 20_000, height: 20_000, fit: 'fill' }])).rejects.toThrow(
    '100 megapixels',
  )
  const broken = path.join(folder, 'broken.png')
  writeFileSync(broken, Buffer.from('89504e470d0a1a0a0000', 'hex'))
  await expect(createPictureEditor().edit({ path: broken, actions: [], format: 'png' }, signal)).rejects.toThrow(
    'The image could not be read',
  )
})

test('an edit that is stopped or takes too long ends', async () => {
  const stopped = createPictureEditor().edit(
    { path: red, actions: [], format: 'png' },
    AbortSignal.abort(new Error('stop')),
  )
  await expect(stopped).rejects.toThrow('stop')
  const late = createPictureEditor({ ms: 1 }).edit({ path: red, actions: [], format: 'png' }, signal)
  await expect(late).rejects.toThrow('took too long')
})
