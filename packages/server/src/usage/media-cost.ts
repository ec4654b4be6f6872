import { costOf, type Price } from '@troupe/core'
import type { ModelDefinition, Usage } from '@troupe/protocol'

/** Units of a call: pictures, seconds of sound or video, characters of spoken text. */
export interface MediaUsage {
  images?: number
  seconds?: number
  characters?: number
  /** If the provider reports them. */
  tokens?: Usage
}

export interface PricedModel {
  price?: Price | undefined
  mediaPrice?: ModelDefinition['mediaPrice']
}

/** By the unit prices, else by the tokens. Undefined if neither is known. */
export function mediaCost({ images, seconds, characters, tokens }: MediaUsage, model: PricedModel): number | undefined {
  const { perImage, perSecond, perMillionCharacters } = model.mediaPrice ?? {}
  const known = [
    [images, perImage],
    [seconds, perSecond],
    [characters === undefined ? undefined : characters / 1_000_000, perMillionCharacters],
  ].flatMap(([units, price]) => (units === undefined || price === undefined ? [] : [units * price]))
  if (known.length > 0) return known.reduce((sum, cost) => sum + cost)
  return tokens === undefined || tokens.totalTokens === 0 ? undefined : costOf(tokens, model.price)
}

/** The usual rate of recordings in browsers. */
const recordingBytesPerSecond = 6000

/** Estimates the length of a recording from its size, for providers that do not report it. */
export function recordingSeconds(bytes: Uint8Array): number {
  return bytes.length / (wavBytesPerSecond(bytes) ?? recordingBytesPerSecond)
}

function wavBytesPerSecond(bytes: Uint8Array): number | undefined {
  if (bytes.length < 44 || Buffer.from(bytes.subarray(0, 4)).toString('latin1') !== 'RIFF') return undefined
  const rate = new DataView(bytes.buffer, bytes.byteOffset).getUint32(28, true)
  return rate === 0 ? undefined : rate
}
