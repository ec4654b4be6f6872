import { z } from 'zod'
import { makeMedia } from '../media/make-media.ts'
import type { MediaTask } from '../media/media.ts'
import type { MediaDisplay } from '../protocol/display.ts'
import { defineTool } from '../tool.ts'

export default defineTool({
  description:
    'Makes a short film from a description, or from a picture of the workspace and a description. It takes minutes. The film is shown to the person; it is not a file of the workspace.',
  input: z.object({
    prompt: z.string().trim().min(1).max(8000).describe('What is to be seen, and how it moves'),
    seconds: z.number().min(1).max(60).optional(),
    resolution: z
      .string()
      .regex(/^\d{2,5}x\d{2,5}$/, 'width and height in pixels, such as 1280x720')
      .optional(),
    aspect_ratio: z
      .string()
      .regex(/^\d{1,3}:\d{1,3}$/, 'such as 16:9')
      .optional(),
    image: z.string().min(1).describe('Path of a picture that the film begins with').optional(),
    model: z.string().max(300).describe('provider/model; only when the person named one').optional(),
  }),
  readOnly: false,
  concurrent: true,
  deferred: true,
  group: 'media',
  timeout: 1_800_000,
  touches: ({ image }) => (image === undefined ? [] : [{ kind: 'read', path: image }]),
  needsApproval: true,
  title: ({ prompt }) => `Make a film: ${prompt}`,
  permission: ({ prompt }) => ({
    title: 'Make a film',
    summary: 'The provider of the model may charge for it.',
    content: prompt,
  }),
  execute: ({ aspect_ratio: aspectRatio, resolution: size, image, ...input }, ctx): Promise<MediaTask> =>
    makeMedia({ kind: 'video', aspectRatio, size, images: image === undefined ? [] : [image], ...input }, ctx),
  toModel: ({ model, warnings }) =>
    [`The film was made by ${model} and shown to the person.`, ...warnings.map((warning) => `Note: ${warning}`)].join(
      '\n',
    ),
  display: ({ files, model, prompt }) => ({
    title: `Film: ${prompt}`,
    summary: `by ${model}`,
    content: { kind: 'media', prompt, files } satisfies MediaDisplay,
  }),
})
