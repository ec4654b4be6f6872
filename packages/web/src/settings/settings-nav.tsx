import { Search } from 'lucide-react'
import { useRef, useState } from 'react'
import type { KeyboardEvent, MouseEvent } from 'react'
import { writeAddress } from '../address.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/visible-text.tsx'
import { useApp, useWorkspace } from '../workspace.ts'
import { findSettings } from './find-settings.ts'
import { sections } from './sections.ts'
import { useSearchables } from './use-searchables.ts'

const maxResults = 40

/** The sections, or what fits the words that were typed. Arrow keys go through either. */
export function SettingsNav({ current }: { current: string }) {
  const { app } = useWorkspace()
  const sessionId = useApp((state) => (state.isNew ? null : state.sessionId))
  const [query, setQuery] = useState('')
  const all = useSearchables(query.trim() !== '')
  const nav = useRef<HTMLElement>(null)
  const found = findSettings(all, query)

  const link = (at: string) => ({
    href: writeAddress(sessionId, at),
    onClick: (event: MouseEvent) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      app.openSettings(at)
    },
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const field = event.target instanceof HTMLInputElement
    if (event.key === 'Escape' && field && query !== '') {
      event.preventDefault()
      setQuery('')
    }
    const first = found[0]
    if (event.key === 'Enter' && field && first !== undefined) app.openSettings(first.at)
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const stops = [...(nav.current?.querySelectorAll<HTMLElement>('input, a') ?? [])]
    const next = stops.indexOf(document.activeElement as HTMLElement) + step
    stops[Math.min(Math.max(next, 0), stops.length - 1)]?.focus()
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- arrow keys from link to link
    <nav ref={nav} className="settings-nav" aria-label={t.settings.title} onKeyDown={onKeyDown}>
      <search className="settings-search">
        <Search aria-hidden />
        <input
          type="search"
          aria-label={t.settings.search}
          placeholder={t.settings.search}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      </search>
      <output className="visually-hidden">{query.trim() === '' ? '' : t.settings.found(found.length)}</output>
      {query.trim() === '' ? (
        <ul>
          {sections.map(({ id, title, icon: Icon }) => (
            <li key={id}>
              <a {...link(id)} aria-current={id === current ? 'page' : undefined}>
                <Icon aria-hidden />
                {title()}
              </a>
            </li>
          ))}
        </ul>
      ) : (
        <ul aria-label={t.settings.results}>
          {found.slice(0, maxResults).map(({ at, title, section }) => (
            <li key={at}>
              <a {...link(at)}>
                <span>
                  <VisibleText text={title} as="name" />
                  {title !== section && <small>{section}</small>}
                </span>
              </a>
            </li>
          ))}
          {found.length === 0 && <li className="settings-none">{t.settings.nothing}</li>}
        </ul>
      )}
    </nav>
  )
}
