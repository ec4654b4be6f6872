import { afterAll, expect, test } from 'vitest'
import type { PictureEditor, PictureRequest } from '../tool/picture-actions.ts'
import { openTestWorkspace } from '../testing/test-workspace.ts'
import imageEdit from './image-edit.ts'

const workspace = openTestWorkspace()
const asked: PictureRequest[] = []
const pictures: PictureEditor = {
  edit(request) {
    asked.push(request)
    return Promise.resolve({ bytes: Buffer.from('edited'), width: 4, height: 2 })
  },
}

afterAll(() => workspace.close())

const edit = (input: object) => workspace.call(imageEdit, input, { pictures })

test('steps get real paths, and the result is saved and shown', async () => {
  workspace.put('a.png', 'a')
  workspace.put('logo.png', 'b')
  const actions = [{ action: 'compose', image: 'logo.png' }]
  await edit({ path: 'a.png', actions, save_to: 'out/b.jpg', quality: 80 })
  expect(asked.at(-1)).toMatchObject({
    path: workspace.at('a.png'),
    actions: [{ action: 'compose', image: workspace.at('logo.png'), opacity: 1 }],
    format: 'jpeg',
    quality: 80,
  })
  expect(workspace.text('out/b.jpg')).toBe('edited')
})

test('an image that the agent has not read is not replaced', async () => {
  workspace.put('mine.png', 'precious')
  await expect(edit({ canvas: { width: 1, height: 1 }, save_to: 'mine.png' })).rejects.toThrow('have not read it yet')
  expect(workspace.text('mine.png')).toBe('precious')
})

test('paths outside, missing images and unknown formats are refused', async () => {
  await expect(edit({ path: '/etc/passwd', save_to: 'x.png' })).rejects.toThrow('outside')
  await expect(edit({ path: 'none.png', save_to: 'x.png' })).rejects.toThrow('does not exist')
  await expect(edit({ path: 'a.png', save_to: 'a.bmp' })).rejects.toThrow('use one of these extensions')
  await expect(edit({ save_to: 'a.png' })).rejects.toThrow('Give "path"')
})

test('an approval names the steps, and rules see every file', () => {
  const input = imageEdit.input.parse({
    path: 'a.png',
    actions: [
      { action: 'crop', left: 0, top: 0, width: 1, height: 1 },
      { action: 'compose', image: 'b.png' },
    ],
    save_to: 'c.png',
  })
  expect(imageEdit.permission?.(input).summary).toBe('a.png → crop → compose → c.png')
  expect(imageEdit.touches?.(input, { cwd: '/' })).toEqual([
    { kind: 'read', path: 'a.png' },
    { kind: 'read', path: 'b.png' },
    { kind: 'write', path: 'c.png' },
  ])
})

test('an approval shows the result and each step in words, and writes nothing', async () => {
  workspace.put('a.png', 'a')
  const input = imageEdit.input.parse({
    path: 'a.png',
    actions: [
      { action: 'resize', width: 40 },
      { action: 'adjust', brightness: 1.5, grayscale: true },
      { action: 'text', text: 'Hi' },
    ],
    save_to: 'preview.webp',
  })
  const blobs = { put: async () => ({ sha256: 'f'.repeat(64), size: 6, mediaType: '' }), get: async () => undefined }
  const shown = await imageEdit.preview?.(input, { ...workspace.ctx, pictures, blobs })
  const steps = [
    'Start with a.png.',
    'Resize to 40 × any pixels (inside).',
    'Adjust brightness 1.5, grayscale.',
    'Write “Hi”.',
  ]
  const content = { kind: 'image', path: 'preview.webp', mediaType: 'image/webp', steps }
  expect(shown).toEqual({ ...content, size: 6, sha256: 'f'.repeat(64) })
  expect(imageEdit.permission?.(input).content).toEqual({ ...content, size: 0 })
  expect(workspace.exists('preview.webp')).toBe(false)
})
