import type {
  ImageModelV4,
  SpeechModelV4,
  TranscriptionModelV4,
  Experimental_VideoModelV4 as VideoModelV4,
} from '@ai-sdk/provider'
import type { MediaRequest } from '@troupe/core'
import type { Usage } from '@troupe/protocol'

export interface GeneratedMedia {
  files: { bytes: Uint8Array; mediaType: string }[]
  warnings: string[]
  /** Tokens, if the provider reports them. */
  usage?: Usage
}

export interface MediaFactory {
  imageModel?: (modelId: string) => ImageModelV4
  videoModel?: (modelId: string) => VideoModelV4
  transcriptionModel?: (modelId: string) => TranscriptionModelV4
  speechModel?: (modelId: string) => SpeechModelV4
}

export interface VoiceModels {
  transcription: TranscriptionModelV4
  speech: SpeechModelV4
}

export type VoiceKind = keyof VoiceModels

/** Returns undefined if the provider has no such models. */
export function voiceModel<Kind extends VoiceKind>(
  factory: MediaFactory,
  kind: Kind,
  modelId: string,
): VoiceModels[Kind] | undefined {
  const create = kind === 'transcription' ? factory.transcriptionModel : factory.speechModel
  return create?.(modelId) as VoiceModels[Kind] | undefined
}

/** Returns undefined if the provider has no such models. */
export function mediaGenerator(
  factory: MediaFactory,
  kind: MediaRequest['kind'],
  modelId: string,
): ((request: MediaRequest, signal: AbortSignal) => Promise<GeneratedMedia>) | undefined {
  const { imageModel, videoModel } = factory
  if (kind === 'image') return imageModel && ((request, signal) => makeImages(imageModel(modelId), request, signal))
  return videoModel && ((request, signal) => makeVideos(videoModel(modelId), request, signal))
}

async function makeImages(model: ImageModelV4, request: MediaRequest, signal: AbortSignal): Promise<GeneratedMedia> {
  const { generateImage } = await import('ai')
  const { prompt, images = [], mask, count, seed, size, aspectRatio } = request
  const {
    images: made,
    warnings,
    usage,
  } = await generateImage({
    model,
    prompt:
      images.length === 0 ? prompt : { text: prompt, images: images.map(({ bytes }) => bytes), mask: mask?.bytes },
    abortSignal: signal,
    n: count,
    seed,
    size: size as `${number}x${number}` | undefined,
    aspectRatio: aspectRatio as `${number}:${number}` | undefined,
  })
  const { inputTokens = 0, outputTokens = 0 } = usage
  const totalTokens = inputTokens + outputTokens
  return {
    files: made.map(toFile),
    warnings: warnings.map(warningText),
    ...(totalTokens > 0 && { usage: { inputTokens, outputTokens, totalTokens } }),
  }
}

async function makeVideos(model: VideoModelV4, request: MediaRequest, signal: AbortSignal): Promise<GeneratedMedia> {
  const { experimental_generateVideo: generateVideo } = await import('ai')
  const { prompt, images = [], count, seed, size, aspectRatio, seconds } = request
  const [first] = images
  const { videos, warnings } = await generateVideo({
    model,
    prompt: first === undefined ? prompt : { text: prompt, image: first.bytes },
    abortSignal: signal,
    poll: { timeoutMs: 1_800_000 },
    n: count,
    seed,
    resolution: size as `${number}x${number}` | undefined,
    aspectRatio: aspectRatio as `${number}:${number}` | undefined,
    duration: seconds,
  })
  return { files: videos.map(toFile), warnings: warnings.map(warningText) }
}

function toFile({
  uint8Array,
  mediaType,
}: {
  uint8Array: Uint8Array
  mediaType: string
}): GeneratedMedia['files'][number] {
  return { bytes: uint8Array, mediaType }
}

function warningText(warning: { type: string; feature?: string; message?: string; details?: string }): string {
  const { feature, message, details } = warning
  if (message !== undefined) return message
  return [`The model ignores "${feature ?? warning.type}".`, ...(details === undefined ? [] : [details])].join(' ')
}
