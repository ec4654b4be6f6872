/** Something that a call made for the person, as it can be read without the page. */
export type ExportPiece =
  | { kind: 'text'; text: string; strong?: true }
  | { kind: 'note'; text: string }
  | { kind: 'item'; text: string }
  | { kind: 'markdown'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'table'; caption: string; rows: string[][]; hasHead: boolean }
  | PicturePiece

/** One of our blobs, or bytes that came with the words. */
export interface PicturePiece {
  kind: 'picture'
  name: string
  mediaType?: string
  sha256?: string
  inline?: { mediaType: string; base64: string }
}
