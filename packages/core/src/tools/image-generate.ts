import { z } from 'zod'
import { makeMedia } from '../media/make-media.ts'
import type { MediaTask } from '../media/media.ts'
import type { MediaDisplay } from '../protocol/display.ts'
import { showCount } from '../search/show-name.ts'
import { defineTool } from '../tool.ts'

export default defineTool({
  description:
    'Makes pictures from a description, or from pictures of the workspace and a description. They are shown to the person; they are not files of the workspace.',
  input: z.object({
    prompt: z.string().trim().min(1).max(8000).describe('What is to be seen: subject, style, light, composition'),
    count: z.int().min(1).max(4).default(1),
    size: z
      .string()
      .regex(/^\d{2,5}x\d{2,5}$/, 'width and height in pixels, such as 1024x1024')
      .optional(),
    aspect_ratio: z
      .string()
      .regex(/^\d{1,3}:\d{1,3}$/, 'such as 16:9')
      .describe('Instead of a size')
      .optional(),
    images: z.array(z.string().min(1)).max(4).describe('Paths of pictures to start from').default([]),
    model: z.string().max(300).describe('provider/model; only when the person named one').optional(),
  }),
  readOnly: false,
  concurrent: true,
  deferred: true,
  group: 'media',
  timeout: 600_000,
  touches: ({ images }) => images.map((path) => ({ kind: 'read', path })),
  needsApproval: true,
  title: ({ prompt }) => `Make a picture: ${prompt}`,
  permission: ({ prompt, count }) => ({
    title: count === 1 ? 'Make a picture' : `Make ${count} pictures`,
    summary: 'The provider of the model may charge for it.',
    content: prompt,
  }),
  execute: ({ aspect_ratio: aspectRatio, ...input }, ctx): Promise<MediaTask> =>
    makeMedia({ kind: 'image', aspectRatio, ...input }, ctx),
  toModel: ({ files, model, warnings }) =>
    [
      `${showCount(files.length, 'picture')} made by ${model} and shown to the person.`,
      ...warnings.map((warning) => `Note: ${warning}`),
    ].join('\n'),
  display: ({ files, model, prompt }) => ({
    title: `Picture: ${prompt}`,
    summary: `${showCount(files.length, 'picture')}, by ${model}`,
    content: { kind: 'media', prompt, files } satisfies MediaDisplay,
  }),
})
