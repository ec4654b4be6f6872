import type { Blobs } from '@troupe/core'
import { escapeHtml } from './escape-html.ts'
import type { ExportTexts } from './languages/en.ts'
import type { PicturePiece } from './piece.ts'

/** What one picture may have, and all of a file together. */
export const pictureBytes = { one: 8 * 1024 * 1024, all: 64 * 1024 * 1024 }
const mediaTypes = /^image\/(png|jpeg|gif|webp|avif)$/

/**
 * Makes pictures part of the file as long as there is room, with their names below them; what is left out is said in its
 * place.
 */
export function embedPictures(
  blobs: Blobs,
  texts: ExportTexts,
  most = pictureBytes,
): (picture: PicturePiece) => Promise<string> {
  let taken = 0
  return async (picture) => {
    const { name, inline, sha256 } = picture
    const said = (text: string): string => `<p class="note">${escapeHtml(text)}</p>`
    const claimed = picture.mediaType ?? inline?.mediaType
    if (claimed !== undefined && !mediaTypes.test(claimed)) return said(texts.noPicture(name, claimed))
    const found = inline === undefined ? await blobs.get(sha256 ?? '') : undefined
    const bytes = inline === undefined ? found?.bytes : Buffer.from(inline.base64, 'base64')
    const mediaType = claimed ?? found?.mediaType ?? ''
    if (bytes === undefined) return said(texts.gone(name))
    if (!mediaTypes.test(mediaType)) return said(texts.noPicture(name, mediaType))
    const size = `${(bytes.length / 1e6).toFixed(1)} MB`
    if (bytes.length > most.one) return said(texts.tooLarge(name, size))
    if (taken + bytes.length > most.all) return said(texts.tooMany(name, size))
    taken += bytes.length
    const address = `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`
    return `<img alt="${escapeHtml(name)}" src="${address}"><figcaption>${escapeHtml(name)}</figcaption>`
  }
}
