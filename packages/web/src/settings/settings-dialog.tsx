import '../texts/show-late.ts'
import { ArrowLeft, X } from 'lucide-react'
import { Suspense, useEffect, useMemo, useRef } from 'react'
import { t } from '../texts/t.ts'
import { requestClose } from '../ui/ask-to-close.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { useApp, useWorkspace } from '../workspace.ts'
import { sections } from './sections.ts'
import { SettingsContext } from './settings-context.ts'
import { SettingsNav } from './settings-nav.tsx'
import { useScrollToSetting } from './use-jump.ts'
import { useUnsavedChanges } from './use-unsaved.ts'
import './settings-dialog.css'
import './section-parts.css'

/** Everything that can be set, one section at a time. Narrow screens show the list of sections, or one of them. */
export function SettingsDialog() {
  const { app } = useWorkspace()
  const at = useApp((state) => state.settingsAt)
  const dialog = useRef<HTMLDialogElement>(null)
  const pane = useRef<HTMLDivElement>(null)
  const chosen = sections.find(({ id }) => id === at.split('/', 1)[0])
  const shown = chosen ?? sections[0]
  useScrollToSetting(pane, at)
  const unsaved = useUnsavedChanges(dialog, pane)
  useEffect(() => {
    if (!at.includes('/')) pane.current?.scrollTo(0, 0)
  }, [at])
  useEffect(() => {
    // A dialog that opens gives the focus to what comes first, which is the field: phones would show their keyboard.
    if (!window.matchMedia('(pointer: coarse)').matches) return
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
