import {
  type Blobs,
  costOf,
  type DescribedImage,
  describeImage,
  fileKind,
  headLength,
  imageSize,
  type ImageDescription,
  mediaProblem,
  type PictureEditor,
  type Session,
  type Store,
  type Vision,
  type VisionChat,
} from '@troupe/core'
import { type ModelInfo, NamedError, type Usage } from '@troupe/protocol'
import type { ConfigFile } from '../config/config.ts'
import type { Models } from '../models/models.ts'
import type { SessionGrants } from '../permission/rule-layers.ts'
import type { Spending } from '../usage/spending.ts'

interface VisionServices {
  models: Pick<Models, 'listModels' | 'resolveChatModel' | 'getProviderDefinition'>
  spending: Pick<Spending, 'guard'>
  config: ConfigFile
  store: Pick<Store, 'sessions'>
  grants: Pick<SessionGrants, 'of' | 'setRules'>
  blobs: Blobs
  pictures: PictureEditor
}

/** The rule of a chat that holds the user's answer. The page lists it with the other rules. */
const ruleText = 'DescribeImages'
const keptDescriptions = 200
const maxOutputTokens = 4000
/** Longest side of an image that is too large as it is. */
const shrunkSide = 2000

/** Lets a model with vision describe images. Keeps each description, so the same image costs nothing the next time. */
export function createVision({ models, spending, config, store, grants, blobs, pictures }: VisionServices): Vision {
  const kept = new Map<string, ImageDescription>()

  return {
    async offer(at) {
      const model = await pickModel(at)
      if (model === undefined) return undefined
      const { describeImages = 'ask' } = config.get()
      if (describeImages !== 'ask') return { model, allowed: describeImages === 'always' ? 'yes' : 'no' }
      const session = await store.sessions.get(at.sessionId)
      return { model, allowed: session === undefined ? 'no' : answerOf(session) }
    },
    async remember({ sessionId }, choice) {
      if (choice === 'always') return config.update((current) => ({ ...current, describeImages: 'always' }))
      const effect = choice === 'chat' ? 'allow' : 'deny'
      await grants.setRules(sessionId, (rules) => [
        ...rules.filter(({ text }) => text !== ruleText),
        { text: ruleText, effect },
      ])
    },
    async describe(image, at, signal) {
      const model = await pickModel(at)
      if (model === undefined) throw new NamedError('ModelNotFound', 'No connected model can see images.')
      const key = `${image.sha256} ${model}`
      const known = kept.get(key)
      if (known !== undefined) return { ...known, tokens: 0, cost: 0 }
      const description = await callModel(model, image, at, signal)
      kept.set(key, description)
      for (const oldest of kept.keys()) {
        if (kept.size <= keptDescriptions) break
        kept.delete(oldest)
      }
      return description
    },
  }

  function answerOf(session: Session): 'yes' | 'no' | 'ask' {
    const rule = grants.of(session).rules.find(({ text }) => text === ruleText)
    return rule === undefined || rule.effect === 'ask' ? 'ask' : rule.effect === 'allow' ? 'yes' : 'no'
  }

  /** The configured model. Else one of the same provider or of this computer, so that no third party gets the image. */
  async function pickModel({ chatModel }: VisionChat): Promise<string | undefined> {
    const configured = config.get().media?.vision
    if (configured !== undefined) return configured
    const [provider] = chatModel.split('/')
    const rank = (model: ModelInfo): number =>
      model.provider === provider ? 0 : models.getProviderDefinition(model.provider)?.local === true ? 1 : 2
    const cost = ({ price }: ModelInfo): number => (price === undefined ? Infinity : price.input + price.output)
    const seeing = (await models.listModels()).filter(
      ({ usable, tags, guessed, provider: id }) =>
        usable && guessed !== true && id !== 'demo' && tags.includes('vision'),
    )
    const compare = (one: ModelInfo, other: ModelInfo): number =>
      rank(one) - rank(other) || (cost(one) < cost(other) ? -1 : cost(one) > cost(other) ? 1 : 0)
    return seeing.toSorted(compare)[0]?.ref
  }

  async function callModel(
    wanted: string,
    { sha256, name }: DescribedImage,
    { folder }: VisionChat,
    signal: AbortSignal,
  ): Promise<ImageDescription> {
    const [{ id, model, definition, local }, image] = await Promise.all([
      models.resolveChatModel(wanted),
      loadImage(sha256, signal),
    ])
    const { price } = definition
    let used: Usage | undefined
    const text = await describeImage({ ...image, name }, model, {
      maxOutputTokens,
      signal,
      guard: spending.guard({ id, price, local }, { path: folder }),
      onUsage: (usage) => (used = usage),
    })
    if (text.trim() === '') throw new NamedError('EmptyAnswer', `${id} wrote nothing.`)
    return { model: id, text: text.trim(), tokens: used?.totalTokens ?? 0, cost: costOf(used, price) ?? 0 }
  }

  /** Converts an image to a format and size that every provider accepts. */
  async function loadImage(sha256: string, signal: AbortSignal): Promise<{ bytes: Uint8Array; mediaType: string }> {
    const blob = await blobs.get(sha256)
    if (blob === undefined) throw new NamedError('BlobNotFound', 'Its file no longer exists.')
    const { bytes } = blob
    const found = fileKind(bytes.subarray(0, headLength))
    if (found.kind === 'image') {
      const size = imageSize(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), found.mediaType)
      if (mediaProblem({ kind: 'image', size: bytes.length, ...size }) === undefined)
        return { bytes, mediaType: found.mediaType }
    }
    const path = await blobs.fileOf?.(sha256)
    if (path === undefined) throw new NamedError('BadImage', 'It cannot be converted here.')
    const resize = { action: 'resize' as const, width: shrunkSide, height: shrunkSide, fit: 'inside' as const }
    const edited = await pictures.edit({ path, actions: [resize], format: 'jpeg' }, signal)
    return { bytes: edited.bytes, mediaType: 'image/jpeg' }
  }
}
