import type { Role } from '@troupe/protocol'
import { FolderKey, Gauge, HandCoins, KeyRound, Scale, ScrollText, UserRound, UsersRound } from 'lucide-react'
import { createElement, lazy } from 'react'
import type { NamedSection } from '../../settings/sections.ts'
import '../../texts/show-team.ts'
import { t } from '../../texts/t.ts'

/** Sections of settings that a team has, by role. */
export function teamSections(role: Role): NamedSection[] {
  if (role === 'viewer') return forEveryone
  return [...forEveryone, ...(role === 'member' ? [ownKeys] : forManagers)]
}

const forEveryone: NamedSection[] = [
  {
    id: 'account',
    order: 0.1,
    title: () => t.team.sections.account,
    icon: UserRound,
    words: () => t.team.words.account,
    settings: () => [
      { id: 'password', title: t.team.account.password },
      { id: 'totp', title: t.team.account.totp },
      { id: 'passkeys', title: t.team.account.passkeys },
      { id: 'sessions', title: t.team.account.sessions },
      { id: 'tokens', title: t.team.account.tokens },
      { id: 'data', title: t.team.account.data },
      { id: 'delete', title: t.team.account.delete },
    ],
    Component: lazy(async () => ({ default: (await import('./account-section.tsx')).AccountSection })),
  },
  {
    id: 'members',
    order: 0.2,
    title: () => t.team.sections.members,
    icon: UsersRound,
    words: () => t.team.words.members,
    settings: () => [],
    Component: lazy(async () => ({ default: (await import('./members-section.tsx')).MembersSection })),
  },
]

/** In the place of the organization's providers, so that links to those lead here. Managers have it in their account. */
const ownKeys: NamedSection = {
  id: 'models',
  order: 1,
  title: () => t.team.keys.title,
  icon: KeyRound,
  words: () => t.team.keys.words,
  settings: () => [{ id: 'key', title: t.team.keys.title }],
  Component: lazy(async () => {
    const { OwnKeys } = await import('./own-keys.tsx')
    return { default: () => createElement(OwnKeys, { isTitled: false }) }
  }),
}

const forManagers: NamedSection[] = [
  {
    id: 'folder-access',
    order: 0.3,
    title: () => t.team.sections.folders,
    icon: FolderKey,
    words: () => t.team.words.folders,
    settings: () => [],
    Component: lazy(async () => ({ default: (await import('./folders-section.tsx')).FoldersSection })),
  },
  {
    id: 'policy',
    order: 6.1,
    title: () => t.team.sections.policy,
    icon: Scale,
    words: () => t.team.words.policy,
    settings: () => [],
    Component: lazy(async () => ({ default: (await import('./policy-section.tsx')).PolicySection })),
  },
  {
    id: 'budgets',
    order: 2.6,
    title: () => t.team.sections.budgets,
    icon: HandCoins,
    words: () => t.team.words.budgets,
    settings: () => [],
    Component: lazy(async () => ({ default: (await import('./budgets-section.tsx')).BudgetsSection })),
  },
  {
    id: 'audit',
    order: 11.1,
    title: () => t.team.sections.audit,
    icon: ScrollText,
    words: () => t.team.words.audit,
    settings: () => [],
    Component: lazy(async () => ({ default: (await import('./audit-section.tsx')).AuditSection })),
  },
  {
    id: 'operations',
    order: 11.2,
    title: () => t.team.sections.operations,
    icon: Gauge,
    words: () => t.team.words.operations,
    settings: () => [],
    Component: lazy(async () => ({ default: (await import('./operations-section.tsx')).OperationsSection })),
  },
]
