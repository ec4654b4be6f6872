import type { Relationship } from '../package/relationships.ts'
import type { Numbering } from './numbering.ts'
import type { ParagraphStyle } from './styles.ts'

export interface WordContext {
  styles: ReadonlyMap<string, ParagraphStyle>
  numbering: Numbering
  /** Of the part that is read. */
  relationships: ReadonlyMap<string, Relationship>
  footnotes: ReadonlyMap<string, string>
  endnotes: ReadonlyMap<string, string>
  comments: ReadonlyMap<string, string>
  /** Lines of charts and diagrams, by part. */
  figures: ReadonlyMap<string, readonly string[]>
  seen: WordFacts
}

/** Counted while the text is read. */
export interface WordFacts {
  tables: number
  pictures: number
  hasChanges: boolean
  hasHidden: boolean
  authors: Set<string>
  shownComments: Set<string>
  /** Fields that would load something from outside. */
  outsideFields: Set<string>
}

export function noFacts(): WordFacts {
  return {
    tables: 0,
    pictures: 0,
    hasChanges: false,
    hasHidden: false,
    authors: new Set(),
    shownComments: new Set(),
    outsideFields: new Set(),
  }
}
