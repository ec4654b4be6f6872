import { NamedError, voiceEndpoints } from '@troupe/protocol'
import type { ConfigFile } from '../config/config.ts'
import { type Ctx, implement, type Route } from '../http/route.ts'
import type { Models } from '../models/models.ts'

/** The limit of OpenAI and of most servers that follow its API. */
const maxAudioBytes = 25 * 1024 * 1024
const timeoutMs = 120_000

export function voiceRoutes({ models, config }: { models: Models; config: Pick<ConfigFile, 'get'> }): Route[] {
  return implement(voiceEndpoints, {
    'POST /ai/transcribe': async ({ body }, c) => {
      const type = c.req.header('content-type') ?? ''
      if (!/^(audio|video)\//i.test(type))
        throw new NamedError('BadRequest', 'Send the recording with its content type, such as audio/webm.')
      if (body.length === 0) throw new NamedError('BadRequest', 'The recording is empty.')
      if (body.length > maxAudioBytes)
        throw new NamedError('BodyTooLarge', 'The recording is too large. The limit is 25 MiB.', { status: 413 })
      const { id, model } = await models.resolveVoiceModel('transcription')
      const { transcribe } = await import('ai')
      return attempt(id, c, async (abortSignal) => {
        const { text } = await transcribe({ model, audio: body, abortSignal, maxRetries: 1 })
        return { text: text.trim(), model: id }
      })
    },
    'GET /ai/transcribe/models': async () => ({ models: await models.listMediaModels('transcription') }),
    'POST /ai/speech': async ({ body }, c) => {
      const { id, model } = await models.resolveVoiceModel('speech')
      const { generateSpeech } = await import('ai')
      const voice = body.voice ?? config.get().media?.voice
      const audio = await attempt(id, c, async (abortSignal) => {
        const made = await generateSpeech({ model, text: body.text, voice, abortSignal, maxRetries: 1 })
        return made.audio
      })
      return c.body(Buffer.from(audio.uint8Array), 200, {
        'content-type': audio.mediaType,
        'cache-control': 'no-store',
      })
    },
    'GET /ai/speech/models': async () => ({ models: await models.listMediaModels('speech') }),
  })

  /** Ends the provider's work when the client disconnects. */
  async function attempt<T>(id: string, c: Ctx, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const gone = new AbortController()
    const outgoing = c.env?.outgoing
    const onClose = (): void => gone.abort(new Error('the client disconnected'))
    outgoing?.once('close', onClose)
    try {
      return await work(AbortSignal.any([gone.signal, AbortSignal.timeout(timeoutMs)]))
    } catch (error) {
      throw new NamedError('VoiceFailed', `${id} failed: ${models.redact(reasonOf(error))}`, {
        status: 502,
        cause: error,
      })
    } finally {
      outgoing?.off('close', onClose)
    }
  }
}

function reasonOf(error: unknown): string {
  const { lastError } = error as { lastError?: unknown }
  const cause = lastError ?? error
  if (!(cause instanceof Error)) return String(cause)
  return cause.name === 'TimeoutError' ? 'it took longer than 2 minutes.' : cause.message
}
