import type { Blobs, Metadata, Part } from '@troupe/core'
import type { SessionBundle } from '../stores/sql/restore.ts'

/** One program whose exports are understood. The content tells which it is, never a file's name. */
export interface Importer {
  /** How the program calls itself. */
  name: string
  /** Whether an entry of a file is a conversation of this program. */
  accepts(entry: unknown): boolean
  /** Throws an Error that says what is wrong with it. */
  read(entry: unknown, files: ImportFiles): Promise<ImportedSession>
}

/** Bytes beside the conversations. */
export interface ImportFiles {
  blobs: Blobs
  /** The file of the archive whose name begins so; undefined where there is none, or it is too large. */
  find(name: string): Promise<{ bytes: Uint8Array; name: string } | undefined>
  /** Between messages: lets others have their turn. Throws once the import was given up. */
  breathe(): Promise<void>
  /** Something of the conversation cannot be taken; the rest is. */
  tell(problem: string): void
}

/** A session, its workspace aside. `folder` names where it lies, from the outside. */
export interface ImportedSession {
  session: Omit<SessionBundle['session'], 'workspaceId' | 'projectId' | 'folderId'> & { folder: string[] }
  agents: SessionBundle['agents']
  messages: SessionBundle['messages']
  asks: SessionBundle['asks']
}

/** A message of another program's tree. Ids are that program's own. */
export interface ForeignMessage {
  id: string
  parentId: string | null
  role: 'user' | 'assistant'
  parts: Part[]
  metadata?: Metadata
  createdAt: number | undefined
}
