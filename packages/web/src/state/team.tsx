import type { Author, Me, Sharing } from '@troupe/protocol'
import { type ComponentProps, type ComponentType, createElement } from 'react'
import { create } from 'zustand'
import { pageAccess } from '../api/page-access.ts'

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
  /** Above a message. */
  MessageAuthor: ComponentType<{ author: Author }>
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
  /** Why the person cannot decide about tool calls, by chat. `*`: in no chat. */
  noApproval: Readonly<Record<string, string>>
  /** How long the person may remember approvals, by chat. */
  remember: Readonly<Record<string, Sharing['remember']>>
}

export const useTeam = create<TeamState>(() => ({ page: null, readOnly: {}, noApproval: {}, remember: {} }))

/** Undefined if the person may write in the chat. */
export function useReadOnly(sessionId: string): string | undefined {
  return useTeam(({ readOnly }) => readOnly[sessionId] ?? readOnly['*'])
}

/** Undefined if the person may answer the requests of the chat. */
export function useNoApproval(sessionId: string): string | undefined {
  return useTeam(({ noApproval }) => noApproval[sessionId] ?? noApproval['*'])
}

/** How long the person may remember approvals of the chat. Until it is known, as their role says. */
export function useRememberScopes(sessionId: string): Sharing['remember'] {
  const isManager = useMay('manage')
  return useTeam(({ remember }) => remember[sessionId]) ?? (isManager ? allScopes : oneChat)
}

const allScopes: Sharing['remember'] = ['session', 'project', 'always']
const oneChat: Sharing['remember'] = ['session']

/** `write`: start chats. `manage`: change what belongs to everyone. A single user may do both. */
export type RoleNeed = 'write' | 'manage'

export function useMay(need: RoleNeed): boolean {
  return useTeam(({ page }) => {
    // Until the person of a team is known, the page asks for nothing that might be refused.
    const role = page?.person.role ?? (pageAccess.isTeam() ? 'viewer' : 'owner')
    return role === 'owner' || role === 'admin' || (need === 'write' && role === 'member')
  })
}

type PartProps<Name extends keyof TeamParts> = { part: Name } & ComponentProps<TeamParts[Name]>

/** A part of team mode. Nothing with a single user. */
export function TeamPart<Name extends keyof TeamParts>({ part, ...props }: PartProps<Name>) {
  const page = useTeam((state) => state.page)
  return page === null ? null : createElement(page.parts[part] as ComponentType<object>, props)
}
