import type { ComponentType } from 'react'

/** Something that stands beside the chat, as a tab of the stack. */
export interface Panel {
  /** Of its kind and key: the same thing is opened once. */
  id: string
  /** The name of its file in `kinds/`. */
  kind: string
  /** What of this kind it is: a path, an address, the id of an agent. */
  key: string
  title: string
  /** JSON, kept over a reload: a kind reads it with care, it may come from another version of the page. */
  data: Record<string, unknown>
  /** Stands first, and does not make room for others. */
  pinned: boolean
}

/** What is asked to be shown. The same kind and key again brings the panel forward, with the new title and data. */
export interface PanelRequest {
  kind: string
  /** Default: there is one of this kind. */
  key?: string
  title: string
  data?: Record<string, unknown>
}

export interface PanelProps {
  panel: Panel
}

/** What a file of `kinds/` exports. */
export interface PanelKind {
  default: ComponentType<PanelProps>
  /** The picture of its tab. */
  Icon?: ComponentType
  /** It goes on living, unseen, while another is in front: a page that a person has changed, a running preview. */
  staysAlive?: boolean
}
