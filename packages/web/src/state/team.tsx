import type { Me } from '@troupe/protocol'
import { type ComponentProps, type ComponentType, createElement } from 'react'
import { create } from 'zustand'

/** Components that team mode adds to the page. They load on demand. */
export interface TeamParts {
  /** In the last row of the list of chats. */
  PersonMenu: ComponentType
  /** Below the list of chats. */
  SharedChats: ComponentType
  /** In the header: who watches the chat. */
  ChatWatchers: ComponentType<{ sessionId: string }>
  CommentButton: ComponentType<{ sessionId: string; messageId: string }>
  /** Below a message. */
  CommentThread: ComponentType<{ sessionId: string; messageId: string }>
  /** In the dialog that shares a chat. */
  SharePeople: ComponentType<{ sessionId: string }>
}

export interface TeamPage {
  person: NonNullable<Me['person']>
  parts: TeamParts
  /** Receives events of the chat's live run. */
  onEvent(sessionId: string, event: { name: string; data?: unknown }): void
}

interface TeamState {
  /** Null with a single user, and until it has loaded. */
  page: TeamPage | null
  /** Reasons that the person cannot write, by chat. `*` covers all chats. */
  readOnly: Readonly<Record<string, string>>
}

export const useTeam = create<TeamState>(() => ({ page: null, readOnly: {} }))

type PartProps<Name extends keyof TeamParts> = { part: Name } & ComponentProps<TeamParts[Name]>

/** A part of team mode. Nothing with a single user. */
export function TeamPart<Name extends keyof TeamParts>({ part, ...props }: PartProps<Name>) {
  const page = useTeam((state) => state.page)
  return page === null ? null : createElement(page.parts[part] as ComponentType<object>, props)
}
