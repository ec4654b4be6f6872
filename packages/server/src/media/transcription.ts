import { createHash } from 'node:crypto'
import type { Transcript, Transcription } from '@troupe/core'
import type { Models } from '../models/models.ts'
import type { VoiceModel } from '../models/resolve-media.ts'
import { recordingSeconds } from '../usage/media-cost.ts'
import { callVoiceModel, type VoiceServices } from './voice-call.ts'

/** The limit of OpenAI and of most servers that follow its API. */
export const maxAudioBytes = 25 * 1024 * 1024
const keptTranscripts = 50

/** Transcribes recordings for tools. A finished transcript is kept, so asking for it again costs nothing. */
export function createTranscription(
  services: VoiceServices & {
    models: Pick<Models, 'listMediaModels'>
    /** The folder that requests without one count for. */
    ownFolder: string
  },
): Transcription {
  const { models, ownFolder } = services
  const kept = new Map<string, Transcript>()

  return {
    maxBytes: maxAudioBytes,
    // A wrong setting has a reason, which `transcribe` gives.
    model: () =>
      models.resolveVoiceModel('transcription').then(
        ({ id }) => id,
        () => undefined,
      ),
    async transcribe({ bytes, seconds, language, folder = ownFolder }, signal) {
      const resolved = await models.resolveVoiceModel('transcription')
      const hash = createHash('sha256').update(bytes).digest('hex')
      const key = `${hash} ${resolved.id} ${language ?? ''}`
      const known = kept.get(key)
      if (known !== undefined) return known
      const call = { ...resolved, folder, expected: { seconds: seconds ?? recordingSeconds(bytes) }, signal }
      const transcript = await transcribeRecording(services, { ...call, bytes, language, minutes: 10 })
      kept.set(key, transcript)
      for (const oldest of kept.keys()) {
        if (kept.size <= keptTranscripts) break
        kept.delete(oldest)
      }
      return transcript
    },
  }
}

type TranscriptionCall = VoiceModel<'transcription'> &
  Omit<Parameters<typeof callVoiceModel>[1], 'id' | 'definition' | 'local'> & {
    bytes: Uint8Array
    language?: string | undefined
  }

export async function transcribeRecording(
  services: VoiceServices,
  { bytes, language, ...call }: TranscriptionCall,
): Promise<Transcript> {
  const { id, model, expected } = call
  const { transcribe } = await import('ai')
  // Servers that follow OpenAI's API read its options, others those under their name.
  const [provider = ''] = id.split('/', 1)
  const names = language === undefined ? [] : ['openai', provider]
  const providerOptions = Object.fromEntries(names.map((name) => [name, { language: language ?? '' }]))
  return callVoiceModel(services, call, async (abortSignal) => {
    const { text, segments, durationInSeconds } = await transcribe({
      model,
      audio: bytes,
      providerOptions,
      abortSignal,
      maxRetries: 1,
    })
    return {
      value: {
        model: id,
        text: text.trim(),
        segments: segments.map((one) => ({ start: one.startSecond, text: one.text })),
      },
      used: durationInSeconds === undefined ? expected : { seconds: durationInSeconds },
    }
  })
}
