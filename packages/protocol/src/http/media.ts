import { z } from 'zod'
import { endpoints } from './endpoint.ts'
import { modelSchema } from './providers.ts'

const mediaRequestSchema = z.strictObject({
  prompt: z.string().trim().min(1).max(8000),
  model: z.string().max(300).optional(),
  count: z.int().min(1).max(10).optional(),
  size: z
    .string()
    .regex(/^\d{2,5}x\d{2,5}$/, 'such as 1024x1024')
    .optional(),
  aspectRatio: z
    .string()
    .regex(/^\d{1,3}:\d{1,3}$/, 'such as 16:9')
    .optional(),
  seconds: z.number().min(1).max(60).optional(),
  seed: z.int().optional(),
  images: z
    .array(z.string().regex(/^[0-9a-f]{64}$/, 'the hash of a blob'))
    .max(4)
    .optional()
    .describe('blobs to start from'),
})

const mediaTaskSchema = z.object({
  id: z.string(),
  kind: z.enum(['image', 'video']),
  model: z.string(),
  prompt: z.string(),
  status: z.enum(['running', 'done', 'failed', 'stopped']),
  progress: z.number().optional().describe('from 0 to 1, if the provider reports it'),
  files: z.array(
    z.object({
      sha256: z.string(),
      mediaType: z.string(),
      size: z.number().describe('bytes'),
      url: z.string(),
    }),
  ),
  warnings: z.array(z.string()).describe('settings that the provider ignored, as sentences'),
  errorCode: z.enum(['login_required', 'insufficient_credits', 'no_model', 'generation_failed']).optional(),
  message: z.string().optional().describe('why it failed or was stopped'),
  createdAt: z.number(),
  endedAt: z.number().optional(),
})

/** The paths with `vedio` are legacy aliases. */
export const mediaEndpoints = endpoints({
  'POST /ai/image': start('images'),
  'GET /ai/image/models': list('make images'),
  'POST /ai/video': start('a video'),
  'GET /ai/video/models': list('make videos'),
  'POST /ai/vedio': start('a video'),
  'GET /ai/vedio/models': list('make videos'),
  'GET /ai/task/:taskId': {
    access: { on: 'task', right: 'read' },
    summary: 'Returns the state of an image or video task.',
    answers: { 200: z.object({ task: mediaTaskSchema }), 404: 'TaskNotFound' },
  },
})

function start(what: string) {
  return {
    access: { on: 'workspace', right: 'write' } as const,
    summary: `Starts to make ${what}, without asking for approval.`,
    body: mediaRequestSchema,
    scoped: true as const,
    answers: {
      202: z.object({ taskId: z.string(), task: mediaTaskSchema }),
      400: 'ProviderNotConfigured',
      402: 'BudgetExceeded',
      404: 'ModelNotFound, ProviderNotFound, BlobNotFound',
    },
  }
}

/** Maximum number of characters in one request for speech. Clients split longer texts. */
const maxSpokenText = 4000

export const voiceEndpoints = endpoints({
  'POST /ai/transcribe': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Transcribes recorded speech, sent as raw bytes of at most 25 MiB with its content type.',
    body: 'bytes',
    scoped: true,
    answers: {
      200: z.object({
        text: z.string().describe('empty if no speech was recognized'),
        model: z.string().describe('provider/model'),
      }),
      400: 'BadRequest, ProviderNotConfigured',
      402: 'BudgetExceeded',
      404: 'ModelNotFound, ProviderNotFound',
      413: 'BodyTooLarge',
      502: 'VoiceFailed',
    },
  },
  'GET /ai/transcribe/models': list('transcribe speech'),
  'POST /ai/speech': {
    access: { on: 'workspace', right: 'write' },
    summary: 'Reads a text aloud and returns the audio.',
    body: z.strictObject({
      text: z.string().trim().min(1).max(maxSpokenText),
      voice: z.string().max(100).optional().describe('default: the voice in the settings, else that of the provider'),
    }),
    scoped: true,
    gives: ['bytes'],
    answers: {
      200: 'the audio',
      400: 'BadRequest, ProviderNotConfigured',
      402: 'BudgetExceeded',
      404: 'ModelNotFound, ProviderNotFound',
      502: 'VoiceFailed',
    },
  },
  'GET /ai/speech/models': list('read text aloud'),
})

function list(what: string) {
  return {
    access: { on: 'organization', right: 'read' } as const,
    summary: `Lists the usable models that ${what}.`,
    answers: { 200: z.object({ models: z.array(modelSchema) }) },
  }
}

export const blobEndpoints = endpoints({
  'POST /ai/blobs': {
    access: { on: 'self', right: 'write' },
    summary: 'Stores bytes with their content type.',
    body: 'bytes',
    answers: {
      201: z.object({
        sha256: z.string(),
        size: z.number().describe('bytes'),
        mediaType: z.string().describe('the type under which these bytes were first stored'),
        url: z.string(),
      }),
      413: 'BodyTooLarge',
    },
  },
  'GET /ai/blobs/:sha256': {
    access: { on: 'blob', right: 'read', link: true },
    summary: 'Returns the bytes of a blob.',
    linkable: true,
    gives: ['bytes'],
    answers: { 200: 'bytes', 404: 'BlobNotFound' },
  },
  'DELETE /ai/blobs/:sha256': {
    access: { on: 'blob', right: 'manage' },
    summary: 'Deletes a blob that no message uses, such as an attachment removed before sending.',
    answers: { 200: z.object({ deleted: z.string() }), 404: 'BlobNotFound', 409: 'BlobInUse' },
  },
})
