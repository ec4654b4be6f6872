import type { MediaDisplay } from '@troupe/protocol'
import { z } from 'zod'
import { type GeneratedMedia, makeMedia, savedFilesText, targetNames, targetProblem } from '../media/make-media.ts'
import { formatCount } from '../text/format.ts'
import { defineTool } from '../tool/tool.ts'

export default defineTool({
  description:
    'Makes pictures from a description, or from pictures and a description. They are shown to the person and kept with the session; save_to puts them into the workspace.',
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
    images: z
      .array(z.string().min(1))
      .max(4)
      .describe('Paths of pictures to start from: files of the workspace, or pictures made before')
      .default([]),
    save_to: z
      .string()
      .min(1)
      .max(4096)
      .describe('A file of the workspace to save it as, such as assets/logo.png, or a folder with a slash at its end')
      .optional(),
    model: z.string().max(300).describe('provider/model; only when the person named one').optional(),
  }),
  readOnly: false,
  concurrent: true,
  deferred: true,
  group: 'media',
  timeout: 600_000,
  touches: (input) => [
    ...input.images.map((path) => ({ kind: 'read' as const, path })),
    ...savedAs(input).map((path) => ({ kind: 'write' as const, path })),
  ],
  validate: ({ save_to: saveTo }) => targetProblem(saveTo),
  needsApproval: true,
  title: ({ prompt }) => `Make a picture: ${prompt}`,
  permission: (input) => ({
    title: input.count === 1 ? 'Make a picture' : `Make ${input.count} pictures`,
    summary: ['The provider of the model may charge for it.', ...savedText(input)].join(' '),
    content: input.prompt,
  }),
  execute: (input, ctx): Promise<GeneratedMedia> => {
    const { aspect_ratio: aspectRatio, save_to: _, ...rest } = input
    return makeMedia({ kind: 'image', aspectRatio, saveTo: savedAs(input), ...rest }, ctx)
  },
  toModel: ({ files, model, warnings, ...where }) =>
    [
      `${formatCount(files.length, 'picture')} made by ${model} and shown to the person.`,
      ...savedFilesText(where),
      ...warnings.map((warning) => `Note: ${warning}`),
    ].join('\n'),
  display: ({ files, model, prompt }) => ({
    title: `Picture: ${prompt}`,
    summary: `${formatCount(files.length, 'picture')}, by ${model}`,
    content: { kind: 'media', prompt, files } satisfies MediaDisplay,
  }),
})

interface Saving {
  prompt: string
  count: number
  save_to?: string | undefined
}

function savedAs({ save_to: saveTo, count, prompt }: Saving): string[] {
  return targetNames(saveTo, count, prompt, 'png')
}

function savedText(input: Saving): string[] {
  const names = savedAs(input)
  return names.length === 0 ? [] : [`It is saved as ${names.join(', ')}.`]
}
