import path from 'node:path'
import type { ImageDisplay } from '@troupe/protocol'
import { z } from 'zod'
import { resolvePath } from '../files/resolve-path.ts'
import { replaceFile, requireFreshRead } from '../media/make-media.ts'
import {
  type EditedPicture,
  type PictureAction,
  pictureActionSchema,
  type PictureFormat,
  pictureFormats,
} from '../tool/picture-actions.ts'
import { formatCount } from '../text/format.ts'
import { defineTool, type ToolContext, withModelText } from '../tool/tool.ts'

const inputSchema = z.object({
  path: z.string().min(1).max(4096).describe('The image to start from').optional(),
  canvas: z
    .object({
      width: z.int().min(1).max(20_000),
      height: z.int().min(1).max(20_000),
      background: z.string().max(40).optional(),
    })
    .optional(),
  actions: z.array(pictureActionSchema).max(50).default([]),
  save_to: z.string().min(1).max(4096).describe('The file to write. Can be the same as "path"'),
  quality: z.int().min(1).max(100).optional(),
})
type EditInput = z.infer<typeof inputSchema>

export default defineTool({
  description: `Edits an image exactly, without a model: crop, resize, rotate, flip, extend, compose with another image, write text, adjust, and convert by the extension of "save_to" (png, jpg, webp, avif, gif, tiff). Steps run in order. Without "path", it starts with an empty canvas. For anything that needs imagination, use ImageGenerate.`,
  input: inputSchema,
  readOnly: false,
  deferred: true,
  group: 'media',
  timeout: 90_000,
  touches: ({ path: from, actions, save_to: saveTo }) => [
    ...sources(from, actions).map((file) => ({ kind: 'read' as const, path: file })),
    { kind: 'write', path: saveTo },
  ],
  validate: ({ path: from, canvas, save_to: saveTo }) => {
    if (from === undefined && canvas === undefined) return 'Give "path", or "canvas" for an empty image.'
    return formatOf(saveTo) === undefined
      ? `save_to: use one of these extensions: ${pictureFormats.join(', ')}, jpg.`
      : undefined
  },
  title: ({ path: from, save_to: saveTo }) => (from === undefined ? `Make ${saveTo}` : `Edit ${from}`),
  permission: ({ path: from, actions, save_to: saveTo }) => ({
    title: 'Edit an image',
    content: {
      kind: 'image',
      path: saveTo,
      mediaType: `image/${formatOf(saveTo) ?? ''}`,
      size: 0,
      steps: stepsOf({ path: from, actions }),
    } satisfies ImageDisplay,
    summary: [from, ...actions.map(({ action }) => action), saveTo].filter((word) => word !== undefined).join(' → '),
  }),
  /** The result as it would be saved. */
  async preview(input, ctx): Promise<ImageDisplay> {
    const { bytes, mediaType } = await edit(input, ctx)
    const blob = await ctx.blobs?.put(bytes, mediaType)
    const content: ImageDisplay = {
      kind: 'image',
      path: input.save_to,
      mediaType,
      size: bytes.length,
      steps: stepsOf(input),
    }
    return blob === undefined ? content : { ...content, sha256: blob.sha256 }
  },
  async execute(input, ctx) {
    const target = resolvePath(ctx, input.save_to, { for: 'write' })
    await requireFreshRead(target, ctx)
    const { mediaType, ...edited } = await edit(input, ctx)
    await replaceFile(target, edited.bytes, ctx)
    const blob = await ctx.blobs?.put(edited.bytes, mediaType)
    const { width, height } = edited
    const output = { kind: 'image' as const, path: target.shown, mediaType, size: edited.bytes.length, width, height }
    return withModelText(
      { ...output, blob: blob?.sha256 },
      `Saved ${target.shown}: ${width} x ${height} pixels, ${formatCount(edited.bytes.length, 'byte')}.`,
    )
  },
  display: ({ path: name, mediaType, size, width, height, blob }) => ({
    title: `Image: ${name}`,
    summary: `${width} x ${height}`,
    content: { kind: 'image', path: name, mediaType, size, sha256: blob } satisfies ImageDisplay,
  }),
})

function sources(from: string | undefined, actions: readonly PictureAction[]): string[] {
  const composed = actions.flatMap((step) => (step.action === 'compose' ? [step.image] : []))
  return from === undefined ? composed : [from, ...composed]
}

function formatOf(file: string): PictureFormat | undefined {
  const extension = path.extname(file).slice(1).toLowerCase()
  const name = { jpg: 'jpeg', tif: 'tiff' }[extension] ?? extension
  return pictureFormats.find((format) => format === name)
}

function readable(given: string, ctx: ToolContext): string {
  const { path: real, shown, stats } = resolvePath(ctx, given, { for: 'read' })
  if (stats?.isFile() !== true) throw new Error(`The image ${shown} does not exist.`)
  return real
}

async function edit(
  { path: from, canvas, actions, save_to: saveTo, quality }: EditInput,
  ctx: ToolContext,
): Promise<EditedPicture & { mediaType: string }> {
  const format = formatOf(saveTo)
  if (ctx.pictures === undefined || format === undefined) throw new Error('Images cannot be edited here.')
  const request = {
    path: from === undefined ? undefined : readable(from, ctx),
    canvas,
    actions: actions.map((step) => (step.action === 'compose' ? { ...step, image: readable(step.image, ctx) } : step)),
    format,
    quality,
  }
  return { ...(await ctx.pictures.edit(request, ctx.signal)), mediaType: `image/${format}` }
}

/** Describes the edit, one sentence per step. */
function stepsOf({ path: from, canvas, actions }: Partial<EditInput>): string[] {
  const start =
    from !== undefined
      ? `Start with ${from}.`
      : canvas === undefined
        ? []
        : `Start with an empty image of ${canvas.width} × ${canvas.height} pixels.`
  return [start, ...(actions ?? []).map(stepText)].flat()
}

function stepText(step: PictureAction): string {
  switch (step.action) {
    case 'crop':
      return `Crop to ${step.width} × ${step.height} pixels, from ${step.left}, ${step.top}.`
    case 'resize':
      return `Resize to ${step.width ?? 'any'} × ${step.height ?? 'any'} pixels (${step.fit}).`
    case 'rotate':
      return `Rotate by ${step.degrees}°.`
    case 'flip':
      return step.direction === 'horizontal' ? 'Flip left and right.' : 'Flip top and bottom.'
    case 'extend':
      return `Add a border: left ${step.left}, top ${step.top}, right ${step.right}, bottom ${step.bottom} pixels.`
    case 'compose':
      return `Put ${step.image} on top.`
    case 'text':
      return `Write “${step.text}”.`
    case 'adjust': {
      const { action: _, ...changes } = step
      return `Adjust ${Object.entries(changes)
        .map(([name, value]) => (value === true ? name : `${name} ${String(value)}`))
        .join(', ')}.`
    }
  }
}
