export type MediaKind = 'image' | 'video'

export type MediaErrorCode = 'login_required' | 'insufficient_credits' | 'no_model' | 'generation_failed'

/** A picture or a film to be made. */
export interface MediaRequest {
  kind: MediaKind
  prompt: string
  /** `provider/model`. Default: the one that the settings name, else the first that can be used. */
  model?: string | undefined
  /** The chat model that asks for it, where one does. */
  chatModel?: string | undefined
  count?: number | undefined
  /** Width and height in pixels, such as `1024x1024`. */
  size?: string | undefined
  /** Such as `16:9`. */
  aspectRatio?: string | undefined
  /** How long a film is to be. */
  seconds?: number | undefined
  seed?: number | undefined
  /** Pictures to start from. */
  images?: readonly { bytes: Uint8Array; mediaType: string }[] | undefined
}

/** Its bytes are a blob; `url` is where the server gives them. */
export interface MediaFile {
  sha256: string
  mediaType: string
  size: number
  url: string
}

export interface MediaTask {
  id: string
  kind: MediaKind
  model: string
  prompt: string
  status: 'running' | 'done' | 'failed' | 'stopped'
  /** How much of it is done, from 0 to 1, where whoever makes it says so. */
  progress?: number
  files: MediaFile[]
  /** What the provider did not heed, in sentences. */
  warnings: string[]
  errorCode?: MediaErrorCode
  message?: string
  createdAt: number
  endedAt?: number
}

/** Makes pictures and films, as tasks that can be asked after. */
export interface Media {
  /** Throws a `NamedError` whose `data.errorCode` is one of ours. */
  start(request: MediaRequest): Promise<MediaTask>
  get(taskId: string): Promise<MediaTask | undefined>
  /** The task once it has ended. An aborted signal stops it. */
  ended(taskId: string, signal?: AbortSignal): Promise<MediaTask>
}
