import { ArrowLeft, Search, X } from 'lucide-react'
import {
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { writeAddress } from '../platform/address.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { Button, IconButton, requestClose } from '../ui/button.tsx'
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { hasScreenKeyboard } from '../ui/restore-focus.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import './section-parts.css'
import { SettingsContext } from './section-parts.tsx'
import { findSettings } from './section.ts'
import { useSearchables, useSections } from './sections.ts'
import './settings-dialog.css'

/** Shows one section at a time. Narrow screens show either the list or a section. */
export function SettingsDialog() {
  const { app } = useWorkspace()
  const at = useApp((state) => state.settingsAt)
  const turn = useApp((state) => state.dialogTurn)
  const dialog = useRef<HTMLDialogElement>(null)
  const pane = useRef<HTMLDivElement>(null)
  const sections = useSections()
  const chosen = sections.find(({ id }) => id === at.split('/', 1)[0])
  const shown = chosen ?? sections[0]
  useScrollToSetting(pane, at)
  const unsaved = useUnsavedChanges(dialog, pane)
  useEffect(() => {
    if (!at.includes('/')) pane.current?.scrollTo(0, 0)
  }, [at])
  useEffect(() => {
    // A dialog focuses its first field, which would open the keyboard on phones.
    if (!hasScreenKeyboard()) return
    dialog.current?.querySelector<HTMLElement>('[aria-current=page]')?.focus()
  }, [])
  const settings = useMemo(
    () => ({ close: () => requestClose(dialog.current), toTop: () => pane.current?.scrollTo(0, 0) }),
    [],
  )
  if (shown === undefined) return null
  const { Component } = shown
  return (
    <Dialog
      ref={dialog}
      title={
        <>
          <span className="visually-hidden">{t.settings.title}: </span>
          {shown.title()}
        </>
      }
      className={chosen === undefined ? 'settings settings-all' : 'settings'}
      turn={turn}
      onClose={() => app.setDialog(null)}
    >
      <Button kind="quiet" className="settings-back" onClick={() => app.openSettings()}>
        <ArrowLeft aria-hidden />
        {t.settings.all}
      </Button>
      <SettingsNav current={shown.id} />
      <div ref={pane} className="settings-pane">
        <SettingsContext value={settings}>
          <Suspense fallback={<p className="settings-note">{t.ui.loading}</p>}>
            <Component key={shown.id} />
          </Suspense>
        </SettingsContext>
      </div>
      <IconButton className="settings-close" label={t.ui.close} onClick={settings.close}>
        <X />
      </IconButton>
      {unsaved.isAsking && (
        <ConfirmDialog
          title={t.settings.unsaved}
          confirm={t.settings.discard}
          onConfirm={unsaved.discard}
          onClose={unsaved.stay}
        >
          <p>{t.settings.unsavedText}</p>
        </ConfirmDialog>
      )}
    </Dialog>
  )
}

const maxResults = 40

/** Lists sections or search results. Arrow keys move through both. */
function SettingsNav({ current }: { current: string }) {
  const { app, folder } = useWorkspace()
  const sessionId = useApp((state) => (state.isNew ? null : state.sessionId))
  const [query, setQuery] = useState('')
  const sections = useSections()
  const all = useSearchables(query.trim() !== '')
  const nav = useRef<HTMLElement>(null)
  const found = findSettings(all, query)

  const link = (at: string) => ({
    href: writeAddress({ sessionId, folder, settings: at }),
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

const focusable =
  // Selector, not shown.
  'input:checked, button:not([disabled]), a[href], input:not([disabled]), select, textarea, summary, [tabindex]'
/** Maximum wait for settings that load from the server. */
const maxWaitMs = 8000

function useScrollToSetting(pane: RefObject<HTMLElement | null>, at: string): void {
  useEffect(() => {
    const [, ...rest] = at.split('/')
    const id = rest.join('/')
    const { current } = pane
    if (id === '' || current === null) return
    const jump = (): boolean => {
      const element = current.querySelector<HTMLElement>(`[data-setting="${CSS.escape(id)}"]`)
      if (element === null) return false
      observer.disconnect()
      if (element instanceof HTMLDetailsElement) element.open = true
      element.scrollIntoView({ block: 'center' })
      const target = element.matches(focusable) ? element : element.querySelector<HTMLElement>(focusable)
      if (target === null) element.tabIndex = -1
      ;(target ?? element).focus({ preventScroll: true })
      element.classList.add('setting-found')
      return true
    }
    const observer = new MutationObserver(jump)
    if (jump()) return
    observer.observe(current, { childList: true, subtree: true })
    const timer = setTimeout(() => observer.disconnect(), maxWaitMs)
    return () => {
      clearTimeout(timer)
      observer.disconnect()
    }
  }, [pane, at])
}

type Field = HTMLInputElement | HTMLTextAreaElement

interface UnsavedChanges {
  isAsking: boolean
  stay: () => void
  discard: () => void
}

const fields =
  // Selector, not shown.
  'form :is(textarea, input:not([type=search], [type=checkbox], [type=radio], [type=file]))'

/** Protects unsaved form text from Escape, clicks outside the dialog and links in it. */
function useUnsavedChanges(
  dialog: RefObject<HTMLDialogElement | null>,
  pane: RefObject<HTMLElement | null>,
): UnsavedChanges {
  const known = useRef(new Map<Field, string>())
  const [leave, setLeave] = useState<{ go: () => void } | null>(null)
  useEffect(() => {
    const { current: around } = dialog
    const listening = new AbortController()
    const options = { signal: listening.signal }
    const ask = (event: Event, go: () => void) => {
      const isWritten = [...known.current].some(([field, was]) => field.isConnected && field.value !== was)
      if (event.defaultPrevented || !isWritten) return
      event.preventDefault()
      event.stopPropagation()
      setLeave({ go })
    }
    const close = () => around?.close()
    pane.current?.addEventListener(
      'focusin',
      ({ target }) => {
        if (!(target instanceof Element) || !target.matches(fields)) return
        const field = target as Field
        if (!known.current.has(field)) known.current.set(field, field.value)
      },
      options,
    )
    pane.current?.addEventListener(
      'submit',
      ({ target }) => {
        for (const field of known.current.keys()) if (field.form === target) known.current.delete(field)
      },
      options,
    )
    around?.addEventListener('cancel', (event) => event.target === around && ask(event, close), options)
    // Browsers close on a second Escape without a cancel event.
    around?.addEventListener(
      'keydown',
      (event) => {
        const isHere = event.target instanceof Element && event.target.closest('dialog') === around
        if (event.key === 'Escape' && isHere) ask(event, close)
      },
      options,
    )
    around?.addEventListener(
      'click',
      (event) => {
        const link = event.target instanceof Element ? event.target.closest<HTMLElement>('nav a, .settings-back') : null
        if (link !== null) ask(event, () => link.click())
      },
      { ...options, capture: true },
    )
    return () => listening.abort()
  }, [dialog, pane])
  const stay = useCallback(() => setLeave(null), [])
  const discard = () => {
    for (const form of new Set([...known.current.keys()].map((field) => field.form))) form?.reset()
    known.current.clear()
    // Wait until the confirmation has closed.
    if (leave !== null) setTimeout(leave.go)
  }
  return { isAsking: leave !== null, stay, discard }
}
