import { useRef } from 'react'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { longestPaste, type Paste } from './paste.ts'

const shownCharacters = 4000

/** Shows text before it is typed into a shell, where each line would run. */
export function PasteDialog({ paste, onPaste, onClose }: { paste: Paste; onPaste: () => void; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const isTooLong = paste.text.length > longestPaste
  const left = paste.text.length - shownCharacters
  return (
    <Dialog ref={dialog} title={t.terminals.pasteTitle(paste.lines)} className="terminal-dialog" onClose={onClose}>
      <form method="dialog" onSubmit={() => !isTooLong && onPaste()}>
        <div className="dialog-text">
          {isTooLong ? (
            <p>{t.terminals.pasteTooLong}</p>
          ) : (
            <>
              {paste.lines > 1 && <p>{t.terminals.pasteRuns}</p>}
              {paste.removed > 0 && <p>{t.terminals.pasteRemoved(paste.removed)}</p>}
              <pre className="terminal-pasted" tabIndex={0} aria-label={t.terminals.pasted}>
                <VisibleText text={paste.text.slice(0, shownCharacters)} as="exact" />
                {left > 0 && `\n${t.terminals.pasteMore(left)}`}
              </pre>
            </>
          )}
        </div>
        <div className="dialog-buttons">
          <Button onClick={() => dialog.current?.close()}>{t.ui.cancel}</Button>
          {!isTooLong && (
            <Button type="submit" kind="primary">
              {t.terminals.paste}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  )
}

/** The text of a link can say anything, so its real target is shown first. */
export function LinkDialog({ url, onOpen, onClose }: { url: string; onOpen: () => void; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  return (
    <Dialog ref={dialog} title={t.terminals.linkTitle} className="terminal-dialog" onClose={onClose}>
      <form method="dialog" onSubmit={onOpen}>
        <div className="dialog-text">
          <p>{t.terminals.linkAbout}</p>
          <p className="terminal-target" dir="ltr">
            <VisibleText text={url} as="exact" />
          </p>
        </div>
        <div className="dialog-buttons">
          <Button onClick={() => dialog.current?.close()}>{t.ui.cancel}</Button>
          <Button type="submit" kind="primary">
            {t.terminals.openLink}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
