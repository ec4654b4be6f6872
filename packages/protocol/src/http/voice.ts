import { z } from 'zod'
import { endpoints } from './endpoint.ts'
import { modelSchema } from './providers.ts'

/** Maximum number of characters in one request for speech. Clients split longer texts. */
const maxSpokenText = 4000

export const voiceEndpoints = endpoints({
  'POST /ai/transcribe': {
    summary: 'Transcribes recorded speech, sent as raw bytes of at most 25 MiB with its content type.',
    body: 'bytes',
    answers: {
      200: z.object({
        text: z.string().describe('empty if no speech was recognized'),
        model: z.string().describe('provider/model'),
      }),
      400: 'BadRequest, ProviderNotConfigured',
      404: 'ModelNotFound, ProviderNotFound',
      413: 'BodyTooLarge',
      502: 'VoiceFailed',
    },
  },
  'GET /ai/transcribe/models': list('transcribe speech'),
  'POST /ai/speech': {
    summary: 'Reads a text aloud and returns the audio.',
    body: z.strictObject({
      text: z.string().trim().min(1).max(maxSpokenText),
      voice: z.string().max(100).optional().describe('default: the voice in the settings, else that of the provider'),
    }),
    gives: ['bytes'],
    answers: {
      200: 'the audio',
      400: 'BadRequest, ProviderNotConfigured',
      404: 'ModelNotFound, ProviderNotFound',
      502: 'VoiceFailed',
    },
  },
  'GET /ai/speech/models': list('read text aloud'),
})

function list(what: string) {
  return {
    summary: `Lists the usable models that ${what}.`,
    answers: { 200: z.object({ models: z.array(modelSchema) }) },
  }
}
