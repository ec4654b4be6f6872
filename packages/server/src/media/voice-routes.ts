import type { Store } from '@troupe/core'
import { type ModelDefinition, NamedError, voiceEndpoints } from '@troupe/protocol'
import type { ConfigFile } from '../config/config.ts'
import { type Ctx, implement, type Route } from '../http/route.ts'
import { findWorkspace } from '../http/scope.ts'
import type { Models } from '../models/models.ts'
import { type MediaUsage, recordingSeconds } from '../usage/media-cost.ts'
import type { MediaTicket, Spending } from '../usage/spending.ts'

/** The limit of OpenAI and of most servers that follow its API. */
const maxAudioBytes = 25 * 1024 * 1024
const timeoutMs = 120_000

interface VoiceOptions {
  models: Models
  config: Pick<ConfigFile, 'get'>
  store: Store
  spending: Pick<Spending, 'mediaGuard'>
}

export function voiceRoutes({ models, config, store, spending }: VoiceOptions): Route[] {
  return implement(voiceEndpoints, {
    'POST /ai/transcribe': async ({ body, workspaceId }, c) => {
      const type = c.req.header('content-type') ?? ''
      if (!/^(audio|video)\//i.test(type))
        throw new NamedError('BadRequest', 'Send the recording with its content type, such as audio/webm.')
      if (body.length === 0) throw new NamedError('BadRequest', 'The recording is empty.')
      if (body.length > maxAudioBytes)
        throw new NamedError('BodyTooLarge', 'The recording is too large. The limit is 25 MiB.', { status: 413 })
      const resolved = await models.resolveVoiceModel('transcription')
      const { id, model } = resolved
      const { transcribe } = await import('ai')
      const expected = { seconds: recordingSeconds(body) }
      return attempt({ ...resolved, workspaceId, expected }, c, async (abortSignal) => {
        const { text, durationInSeconds } = await transcribe({ model, audio: body, abortSignal, maxRetries: 1 })
        return {
          value: { text: text.trim(), model: id },
          used: durationInSeconds === undefined ? expected : { seconds: durationInSeconds },
        }
      })
    },
    'GET /ai/transcribe/models': async () => ({ models: await models.listMediaModels('transcription') }),
    'POST /ai/speech': async ({ body, workspaceId }, c) => {
      const resolved = await models.resolveVoiceModel('speech')
      const { model } = resolved
      const { generateSpeech } = await import('ai')
      const voice = body.voice ?? config.get().media?.voice
      const used = { characters: body.text.length }
      const audio = await attempt({ ...resolved, workspaceId, expected: used }, c, async (abortSignal) => {
        const made = await generateSpeech({ model, text: body.text, voice, abortSignal, maxRetries: 1 })
        return { value: made.audio, used }
      })
      return c.body(Buffer.from(audio.uint8Array), 200, {
        'content-type': audio.mediaType,
        'cache-control': 'no-store',
      })
    },
    'GET /ai/speech/models': async () => ({ models: await models.listMediaModels('speech') }),
  })

  /** Counts the call for the budget. Ends the provider's work when the client disconnects. */
  async function attempt<T>(
    { id, definition, local, workspaceId, expected }: VoiceCall,
    c: Ctx,
    work: (signal: AbortSignal) => Promise<{ value: T; used: MediaUsage }>,
  ): Promise<T> {
    const { price, mediaPrice } = definition
    const guard = spending.mediaGuard({ id, price, mediaPrice, local }, await findWorkspace(store, workspaceId))
    const gone = new AbortController()
    const outgoing = c.env?.outgoing
    const onClose = (): void => gone.abort(new Error('the client disconnected'))
    outgoing?.once('close', onClose)
    const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(timeoutMs)])
    let ticket: MediaTicket | undefined
    try {
      ticket = await guard.admit(expected, signal)
      const { value, used } = await work(signal)
      ticket.close(used)
      return value
    } catch (error) {
      // The provider bills work that was stopped, but not work that it refused.
      ticket?.close(signal.aborted ? expected : undefined)
      if (error instanceof NamedError && error.name === 'BudgetExceeded') throw error
      throw new NamedError('VoiceFailed', `${id} failed: ${models.redact(reasonOf(error))}`, {
        status: 502,
        cause: error,
      })
    } finally {
      outgoing?.off('close', onClose)
    }
  }
}

interface VoiceCall {
  id: string
  definition: ModelDefinition
  local: boolean
  workspaceId: string
  expected: MediaUsage
}

function reasonOf(error: unknown): string {
  const { lastError } = error as { lastError?: unknown }
  const cause = lastError ?? error
  if (!(cause instanceof Error)) return String(cause)
  return cause.name === 'TimeoutError' ? 'it took longer than 2 minutes.' : cause.message
}
