import { Eye, FileCode, FolderTree, MessageSquareQuote, Save } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { pageAccess } from '../../api/page-access.ts'
import { useSessionStore } from '../../chat/session/session-context.ts'
import { addToDraft } from '../../composer/add-to-draft.ts'
import { PreviewButton } from '../../content/preview-button.tsx'
import { PathName } from '../../displays/parts/display-parts.tsx'
import { keyText } from '../../platform/keyboard.ts'
import { noticeError } from '../../state/notices.tsx'
import { openFiles } from '../../state/panels.ts'
import { formatSize } from '../../texts/format.ts'
import '../../texts/show-late.ts'
import { t } from '../../texts/t.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { VisibleText } from '../../ui/elements.tsx'
import { FileViewer } from '../../viewers/file-viewer.tsx'
import { isTextTable, viewerOf } from '../../api/viewer-kind.ts'
import { useApp, useWorkspace } from '../../workspace/workspace.ts'
import { mentionOf } from '../file-actions.ts'
import { useFileTree } from '../files-panel.tsx'
import { nameOf } from '../tree-rows.ts'
import { useOwnEscape } from '../use-own-escape.ts'
import { ConflictBar } from './conflict-bar.tsx'
import { createEditor, type Editor, type SelectedLines } from './create-editor.ts'
import { fileDrafts } from './drafts.ts'
import { createEditedFile, type EditedFile } from './edited-file.ts'
import './file-editor.css'
import { InstructionBar } from './instruction-bar.tsx'

interface FileEditorProps {
  path: string
  line: number | undefined
  panelId: string
}

/** A file of the workspace, to read and to edit. */
export function FileEditor({ path, line, panelId }: FileEditorProps) {
  const { api } = useWorkspace()
  const session = useSessionStore()
  const tree = useFileTree()
  const folder = useApp((state) => state.workspacePath) ?? ''
  const edited = useMemo(
    () => createEditedFile({ api, watch: tree.watch, drafts: fileDrafts, folder, path }),
    [api, tree, folder, path],
  )
  const { file, problem, isDirty, isSaving, conflict } = useStore(edited)
  useEffect(() => edited.open(), [edited])
  useLeaving(edited)
  useDirtyPanel(session.panels, panelId, path, isDirty)
  const save = () => void edited.save().catch(noticeError)
  const [isClosing, setClosing] = useState(false)
  useEffect(
    () =>
      session.panels.guardClose(panelId, () => {
        if (edited.getState().isDirty) setClosing(true)
        return edited.getState().isDirty
      }),
    [session, panelId, edited],
  )
  const isText = file?.kind === 'text' && file.text !== undefined
  // A table that is too long to edit is still read row by row.
  const isLongTable = file?.isCut === true && viewerOf(path) === 'sheet'
  // Mail and other documents of text are shown as documents first, and so is text under the name of a workbook.
  const isDocument = isText && (viewerOf(path) === 'document' || (viewerOf(path) === 'sheet' && !isTextTable(path)))
  const [isSource, setSource] = useState(line !== undefined)
  const showsDocument = isDocument && !isSource && !isDirty
  return (
    <>
      <header className="side-panel-head">
        <span className="side-panel-head-main">
          <PathName path={path} />
        </span>
        {file !== undefined && <span>{formatSize(file.size)}</span>}
        {isText && !isDocument && <PreviewButton path={path} />}
        {isDocument && !isDirty && (
          <IconButton label={isSource ? t.files.asDocument : t.files.asText} onClick={() => setSource(!isSource)}>
            {isSource ? <Eye /> : <FileCode />}
          </IconButton>
        )}
        {isText && !showsDocument && file.isReadOnly !== true && file.isCut !== true && (
          <IconButton
            label={t.files.save}
            shortcut={keyText('Mod+S')}
            aria-disabled={!isDirty || isSaving}
            onClick={save}
          >
            <Save />
          </IconButton>
        )}
        <IconButton
          label={t.files.showInTree}
          onClick={() => {
            openFiles(session.panels)
            void tree.reveal(path)
          }}
        >
          <FolderTree />
        </IconButton>
      </header>
      {isClosing && (
        <ClosingDialog
          path={path}
          edited={edited}
          onClose={() => setClosing(false)}
          onLeave={() => session.panels.close(panelId, { force: true })}
        />
      )}
      {problem !== undefined && file === undefined ? (
        <div className="side-panel-none">
          <p>
            <VisibleText text={problem.message} />
          </p>
          {problem.isSecret && (
            <Button onClick={() => void edited.reload({ secret: true })}>{t.panels.showSecret}</Button>
          )}
        </div>
      ) : file === undefined ? (
        <p className="side-panel-none">{t.panels.loading}</p>
      ) : file.kind === 'image' ||
        (file.kind === 'binary' && viewerOf(path) !== undefined) ||
        isLongTable ||
        showsDocument ? (
        <FileViewer file={{ path }} />
      ) : file.kind === 'binary' ? (
        <div className="side-panel-none">
          <p>{t.files.binary}</p>
          <Button onClick={() => addToDraft(session, `${mentionOf(path)} `)}>
            <MessageSquareQuote aria-hidden />
            {t.files.ask}
          </Button>
          <a className="button button-plain" href={pageAccess.link(api.downloadPath(path))} download={nameOf(path)}>
            {t.files.download}
          </a>
        </div>
      ) : (
        <>
          {conflict === undefined && problem?.isMissing === true && <p className="file-note">{t.files.goneNow}</p>}
          {file.isCut === true && <p className="file-note">{t.files.cut}</p>}
          {file.isReadOnly === true && <p className="file-note">{t.files.readOnly}</p>}
          <TextEditor edited={edited} path={path} line={line} hasConflict={conflict !== undefined} onSave={save} />
        </>
      )}
    </>
  )
}

interface ClosingDialogProps {
  path: string
  edited: EditedFile
  onClose: () => void
  onLeave: () => void
}

function ClosingDialog({ path, edited, onClose, onLeave }: ClosingDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const leave = async (work: () => Promise<boolean> | boolean) => {
    try {
      const isDone = await work()
      dialog.current?.close()
      if (isDone) onLeave()
    } catch (error) {
      noticeError(error)
    }
  }
  return (
    <Dialog ref={dialog} title={t.files.saveTitle} onClose={onClose}>
      <p className="dialog-text">
        <VisibleText text={t.files.saveText(nameOf(path))} />
      </p>
      <div className="dialog-buttons">
        <Button onClick={() => dialog.current?.close()}>{t.ui.cancel}</Button>
        <Button
          onClick={() =>
            void leave(() => {
              edited.discard()
              return true
            })
          }
        >
          {t.files.dontSave}
        </Button>
        <Button kind="primary" onClick={() => void leave(() => edited.save())}>
          {t.files.save}
        </Button>
      </div>
    </Dialog>
  )
}

interface TextEditorProps {
  edited: EditedFile
  path: string
  line: number | undefined
  hasConflict: boolean
  onSave: () => void
}

function TextEditor({ edited, path, line, hasConflict, onSave }: TextEditorProps) {
  const { api } = useWorkspace()
  const session = useSessionStore()
  const host = useRef<HTMLDivElement>(null)
  const [editor, setEditor] = useState<Editor>()
  const [lines, setLines] = useState<SelectedLines | null>(null)
  const [isInstructing, setInstructing] = useState(false)
  const callbacks = useRef({ onSave, onAsk: () => undefined as void, onEdit: () => undefined as void })
  const ask = () => {
    // A key may come before the selection is rendered.
    const chosen = editor?.selected() ?? null
    if (editor === undefined || chosen === null) return
    addToDraft(session, quoteOf(path, chosen, editor))
  }
  useEffect(() => {
    callbacks.current = { onSave, onAsk: ask, onEdit: () => setInstructing(true) }
  })
  useEffect(() => {
    const { current } = host
    const { file } = edited.getState()
    if (current === null || file === undefined) return
    const made = createEditor({
      parent: current,
      path,
      text: edited.initialText(),
      isReadOnly: file.isCut === true || file.isReadOnly === true,
      label: t.files.editorOf(nameOf(path)),
      phrases: t.files.phrases,
      findProblems: async (text) => (await api.problemsOf(path, text)).problems,
      onChange: () => edited.changed(),
      onSelect: setLines,
      onSave: () => callbacks.current.onSave(),
      onAsk: () => callbacks.current.onAsk(),
      onEdit: () => callbacks.current.onEdit(),
    })
    edited.connect({ get: made.text, set: made.setText })
    setEditor(made)
    return () => {
      edited.flush()
      made.destroy()
    }
  }, [api, edited, path])
  useEffect(() => {
    if (line !== undefined) editor?.goToLine(line)
  }, [editor, line])
  // It ends a search or a multiple selection.
  useOwnEscape(host, () => true)
  return (
    <>
      {editor !== undefined && hasConflict && <ConflictBar edited={edited} editor={editor} />}
      <div ref={host} className="file-editor" />
      {editor !== undefined && (lines !== null || isInstructing) && !hasConflict && (
        <InstructionBar
          editor={editor}
          edited={edited}
          path={path}
          lines={lines}
          isOpen={isInstructing}
          onOpen={setInstructing}
          onAsk={ask}
        />
      )}
    </>
  )
}

const maxQuoted = 20_000

/** The selected lines as a quote with the file and its lines, which the server reads as a mention. */
function quoteOf(path: string, { from, to }: SelectedLines, editor: Editor): string {
  const { doc } = editor.view.state
  const text = doc.sliceString(doc.line(from).from, doc.line(to).to).slice(0, maxQuoted)
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)))
  return `${mentionOf(path, { from, to })}\n${fence}\n${text}\n${fence}\n\n`
}

/** Unsaved text survives a closed page. */
function useLeaving(edited: EditedFile): void {
  useEffect(() => {
    window.addEventListener('pagehide', edited.flush)
    return () => window.removeEventListener('pagehide', edited.flush)
  }, [edited])
}

interface PanelTitles {
  change: (id: string, change: { title: string }) => void
}

/** A dot in the tab marks unsaved changes. */
function useDirtyPanel({ change }: PanelTitles, panelId: string, path: string, isDirty: boolean): void {
  useEffect(() => {
    change(panelId, { title: isDirty ? `● ${nameOf(path)}` : nameOf(path) })
  }, [change, panelId, path, isDirty])
}
