import type { Store } from '@troupe/core'
import { NamedError, voiceEndpoints } from '@troupe/protocol'
import type { ConfigFile } from '../config/config.ts'
import { type Ctx, implement, type Route } from '../http/route.ts'
import { findWorkspace } from '../http/scope.ts'
import type { Models } from '../models/models.ts'
import { recordingSeconds } from '../usage/media-cost.ts'
import { maxAudioBytes, transcribeRecording } from './transcription.ts'
import { callVoiceModel, type VoiceServices } from './voice-call.ts'

/** Time limit of a call. */
const minutes = 2

interface VoiceOptions extends VoiceServices {
  models: Models
  config: Pick<ConfigFile, 'get'>
  store: Store
}

export function voiceRoutes(services: VoiceOptions): Route[] {
  const { models, config, store } = services
  return implement(voiceEndpoints, {
    'POST /ai/transcribe': async ({ body, workspaceId }, c) => {
      const type = c.req.header('content-type') ?? ''
      if (!/^(audio|video)\//i.test(type))
        throw new NamedError('BadRequest', 'Send the recording with its content type, such as audio/webm.')
      if (body.length === 0) throw new NamedError('BadRequest', 'The recording is empty.')
      if (body.length > maxAudioBytes)
        throw new NamedError('BodyTooLarge', 'The recording is too large. The limit is 25 MiB.', { status: 413 })
      const resolved = await models.resolveVoiceModel('transcription')
      const { path: folder } = await findWorkspace(store, workspaceId)
      const expected = { seconds: recordingSeconds(body) }
      const { text, model } = await whileConnected(c, (signal) =>
        transcribeRecording(services, { ...resolved, bytes: body, folder, expected, signal, minutes }),
      )
      return { text, model }
    },
    'GET /ai/transcribe/models': async () => ({ models: await models.listMediaModels('transcription') }),
    'POST /ai/speech': async ({ body, workspaceId }, c) => {
      const resolved = await models.resolveVoiceModel('speech')
      const { model } = resolved
      const { generateSpeech } = await import('ai')
      const voice = body.voice ?? config.get().media?.voice
      const used = { characters: body.text.length }
      const { path: folder } = await findWorkspace(store, workspaceId)
      const audio = await whileConnected(c, (signal) =>
        callVoiceModel(services, { ...resolved, folder, expected: used, signal, minutes }, async (abortSignal) => {
          const made = await generateSpeech({ model, text: body.text, voice, abortSignal, maxRetries: 1 })
          return { value: made.audio, used }
        }),
      )
      return c.body(Buffer.from(audio.uint8Array), 200, {
        'content-type': audio.mediaType,
        'cache-control': 'no-store',
      })
    },
    'GET /ai/speech/models': async () => ({ models: await models.listMediaModels('speech') }),
  })

  /** Ends the provider's work when the client disconnects. */
  async function whileConnected<T>(c: Ctx, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const gone = new AbortController()
    const outgoing = c.env?.outgoing
    const onClose = (): void => gone.abort(new Error('the client disconnected'))
    outgoing?.once('close', onClose)
    try {
      return await work(gone.signal)
    } finally {
      outgoing?.off('close', onClose)
    }
  }
}
