import type { MediaDisplay } from '@troupe/protocol'
import { z } from 'zod'
import { type GeneratedMedia, makeMedia, savedFilesText, targetNames, targetProblem } from '../media/make-media.ts'
import { defineTool } from '../tool/tool.ts'

export default defineTool({
  description:
    'Makes a short film from a description, or from a picture and a description. It takes minutes. The film is shown to the person and kept with the session; save_to puts it into the workspace.',
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
    image: z
      .string()
      .min(1)
      .describe('Path of a picture that the film begins with: a file of the workspace, or a picture made before')
      .optional(),
    save_to: z
      .string()
      .min(1)
      .max(4096)
      .describe('A file of the workspace to save it as, such as assets/intro.mp4, or a folder with a slash at its end')
      .optional(),
    model: z.string().max(300).describe('provider/model; only when the person named one').optional(),
  }),
  readOnly: false,
  concurrent: true,
  deferred: true,
  group: 'media',
  timeout: 1_800_000,
  touches: (input) => [
    ...(input.image === undefined ? [] : [{ kind: 'read' as const, path: input.image }]),
    ...savedAs(input).map((path) => ({ kind: 'write' as const, path })),
  ],
  validate: ({ save_to: saveTo }) => targetProblem(saveTo),
  needsApproval: true,
  title: ({ prompt }) => `Make a film: ${prompt}`,
  permission: (input) => ({
    title: 'Make a film',
    summary: [
      'The provider of the model may charge for it.',
      ...savedAs(input).map((name) => `It is saved as ${name}.`),
    ].join(' '),
    content: input.prompt,
  }),
  execute: (input, ctx): Promise<GeneratedMedia> => {
    const { aspect_ratio: aspectRatio, resolution: size, image, save_to: _, ...rest } = input
    const images = image === undefined ? [] : [image]
    return makeMedia({ kind: 'video', aspectRatio, size, images, saveTo: savedAs(input), ...rest }, ctx)
  },
  toModel: ({ model, warnings, ...where }) =>
    [
      `The film was made by ${model} and shown to the person.`,
      ...savedFilesText(where),
      ...warnings.map((warning) => `Note: ${warning}`),
    ].join('\n'),
  display: ({ files, model, prompt }) => ({
    title: `Film: ${prompt}`,
    summary: `by ${model}`,
    content: { kind: 'media', prompt, files } satisfies MediaDisplay,
  }),
})

function savedAs({ save_to: saveTo, prompt }: { prompt: string; save_to?: string | undefined }): string[] {
  return targetNames(saveTo, 1, prompt, 'mp4')
}
