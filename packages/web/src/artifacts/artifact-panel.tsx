import {
  Diff,
  Download,
  Eye,
  FileCode,
  FileImage,
  FileText,
  Maximize2,
  Minimize2,
  RotateCw,
  SquareMousePointer,
} from 'lucide-react'
import { type MouseEvent, type RefObject, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import type { PreviewKind } from '../api/preview-kind.ts'
import { ContentView } from '../content/content-view.tsx'
import { PickContext, type Picked } from '../content/pick-context.ts'
import { errorMessage } from '../texts/format.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { Menu } from '../ui/menu.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { EditBox } from './edit-box.tsx'
import { artifactDocument, downloadName, saveBlob, sourceFile } from './save-artifact.ts'
import { fileName, type ShownArtifact, useArtifact } from './use-artifact.ts'
import { useFence } from './use-fence.ts'
import { VersionBar, VersionDiff } from './version-bar.tsx'
import './artifact.css'

interface ArtifactPanelProps {
  path: string
  /** Tool call whose version is shown first. */
  toolCallId?: string | undefined
  /** Runs active content only at the user's request. */
  waits?: boolean
}

/** Preview of a file with its versions, changes, downloads and edits by selecting. */
export function ArtifactPanel({ path, toolCallId, waits = false }: ArtifactPanelProps) {
  return <ArtifactView shown={useArtifact(path, toolCallId)} path={path} waits={waits} />
}

/** The same for a code block of an answer. Earlier and later blocks with the same title are its versions. */
export function FencePanel({ kind, text }: { kind: PreviewKind; text: string }) {
  return <ArtifactView shown={useFence(kind, text)} path={undefined} waits={false} />
}

interface ArtifactViewProps {
  shown: ShownArtifact
  /** Undefined if it is not a file. */
  path: string | undefined
  waits: boolean
}

function ArtifactView({ shown, path, waits }: ArtifactViewProps) {
  const { artifact, versions, version, isLatest, content, problem } = shown
  const [wanted, setWanted] = useState(!waits)
  const [isComparing, setIsComparing] = useState(false)
  const [isEditing, setIsEditing] = useState(false)
  const [failure, setFailure] = useState<string>()
  const [picked, setPicked] = useState<Picked>()
  const [isFull, setIsFull] = useFullScreen()
  const body = useRef<HTMLDivElement>(null)
  const title = content?.name ?? artifact?.title ?? fileName(path ?? '')
  const picking = useMemo(() => {
    const onFix = (error: string) => {
      setFailure(error)
      setIsEditing(true)
    }
    return { isActive: isEditing, onPick: setPicked, onFix }
  }, [isEditing])
  const canCompare = artifact !== undefined && versions.length > 1
  const compares = isComparing && canCompare
  const stopEditing = () => {
    setIsEditing(false)
    setPicked(undefined)
    setFailure(undefined)
  }
  return (
    <div className={isFull ? 'artifact artifact-full' : 'artifact'}>
      <header className="side-panel-head">
        {isFull || versions.length < 2 ? (
          <h2 className="side-panel-head-main artifact-title" dir="auto" title={title}>
            <VisibleText text={title} as="name" />
          </h2>
        ) : null}
        {versions.length > 1 && version !== undefined && (
          <VersionBar versions={versions} version={version} isLatest={isLatest} onChoose={shown.choose} />
        )}
        {canCompare && (
          <IconButton
            label={compares ? t.artifacts.hideChanges : t.artifacts.showChanges}
            aria-pressed={compares}
            onClick={() => setIsComparing(!isComparing)}
          >
            <Diff />
          </IconButton>
        )}
        <IconButton
          label={t.artifacts.edit}
          aria-pressed={isEditing}
          disabled={content === undefined || compares}
          onClick={() => (isEditing ? stopEditing() : setIsEditing(true))}
        >
          <SquareMousePointer />
        </IconButton>
        <Downloads shown={shown} body={body} />
        <IconButton
          label={isFull ? t.artifacts.exitFullScreen : t.artifacts.fullScreen}
          onClick={() => setIsFull(!isFull)}
        >
          {isFull ? <Minimize2 /> : <Maximize2 />}
        </IconButton>
        {shown.reload !== undefined && (
          <IconButton label={t.previews.reload} onClick={shown.reload}>
            <RotateCw />
          </IconButton>
        )}
      </header>
      {compares && artifact !== undefined && version !== undefined && (
        <div className="side-panel-body">
          <VersionDiff
            artifact={artifact.id}
            path={artifact.path.endsWith('.jsx') ? `${title}.jsx` : fileName(artifact.path)}
            versions={versions}
            version={version}
          />
        </div>
      )}
      {/* Downloads copy from here, also while changes are shown. The keyboard selects nothing here: the edit box also
          takes wishes for the whole. */}
      <div
        ref={body}
        hidden={compares}
        className={isEditing ? 'side-panel-body preview-fill artifact-picking' : 'side-panel-body preview-fill'}
        onClickCapture={(event) => isEditing && pickIn(event, setPicked)}
      >
        {problem !== undefined && (
          <p className="preview-note" role="note">
            <VisibleText text={problem} />
          </p>
        )}
        {content?.kind === 'html' && !wanted && (
          <p className="preview-note">
            <Button onClick={() => setWanted(true)}>
              <Eye aria-hidden />
              {t.previews.preview}
            </Button>
          </p>
        )}
        {content !== undefined && problem === undefined && (content.kind !== 'html' || wanted) && (
          <PickContext value={picking}>
            <Suspense fallback={<p className="preview-note">{t.previews.loading}</p>}>
              <ContentView content={content} fills runs={!waits} />
            </Suspense>
          </PickContext>
        )}
      </div>
      {isEditing && !compares && (
        <EditBox
          title={title}
          path={artifact?.path ?? path}
          version={isLatest ? undefined : version}
          picked={picked}
          failure={failure}
          onClose={stopEditing}
        />
      )}
    </div>
  )
}

/** Takes the selected text, or the element under the pointer. Frames report theirs themselves. */
function pickIn(event: MouseEvent, onPick: (picked: Picked) => void): void {
  if (!(event.target instanceof HTMLElement) || event.target.closest('.preview-note, summary') !== null) return
  event.preventDefault()
  event.stopPropagation()
  const words = String(document.getSelection() ?? '').trim()
  const element = event.target
  const text = words === '' ? element.innerText || element.getAttribute('alt') || '' : words
  onPick({ tag: words === '' ? element.localName : '', text: text.trim().slice(0, 2000) })
}

interface DownloadsProps {
  shown: ShownArtifact
  body: RefObject<HTMLDivElement | null>
}

function Downloads({ shown: { content }, body }: DownloadsProps) {
  const { api } = useWorkspace()
  const [state, setState] = useState<{ busy?: string; problem?: string }>({})
  const make = async (what: 'html' | 'pdf' | 'png') => {
    if (content === undefined || body.current === null) return
    setState({ busy: t.artifacts.creating(what.toUpperCase()) })
    try {
      const html = await artifactDocument(content, body.current, what !== 'html')
      const blob =
        what === 'html'
          ? new Blob([html], { type: 'text/html' })
          : await api.print({
              html,
              as: what,
              dark: false,
              ...(what === 'png' && { width: pictureWidth(body.current) }),
            })
      saveBlob(blob, downloadName(content.name, what))
      setState({})
    } catch (error) {
      setState({ problem: errorMessage(error) })
    }
  }
  const saveSource = () => {
    if (content === undefined) return
    const { blob, name } = sourceFile(content)
    saveBlob(blob, name)
  }
  return (
    <>
      <Menu
        align="end"
        trigger={
          <IconButton label={t.artifacts.download} disabled={content === undefined || state.busy !== undefined}>
            <Download />
          </IconButton>
        }
        items={[
          { label: t.artifacts.asHtml, icon: <FileCode />, onSelect: () => void make('html') },
          { label: t.artifacts.asPdf, icon: <FileText />, onSelect: () => void make('pdf') },
          { label: t.artifacts.asPng, icon: <FileImage />, onSelect: () => void make('png') },
          { label: t.artifacts.asSource, icon: <Download />, startsGroup: true, onSelect: saveSource },
        ]}
      />
      {(state.busy ?? state.problem) !== undefined && (
        <output className={state.problem === undefined ? 'artifact-status' : 'artifact-status artifact-problem'}>
          <VisibleText text={state.busy ?? state.problem ?? ''} />
        </output>
      )}
    </>
  )
}

/** As wide as the panel: the preview itself may be hidden. */
function pictureWidth({ parentElement }: HTMLElement): number {
  return Math.min(2000, Math.max(400, Math.round(parentElement?.clientWidth ?? 0)))
}

/** Covers the page, and the screen where the browser allows it. Escape ends both, as does closing the preview. */
function useFullScreen(): [boolean, (isFull: boolean) => void] {
  const [isFull, setIsFull] = useState(false)
  useEffect(() => {
    if (!isFull) return undefined
    let isOver = false
    const leave = () => {
      if (document.fullscreenElement !== null) void document.exitFullscreen().catch(() => undefined)
    }
    // Browsers may refuse. The preview covers the page all the same.
    void document.documentElement.requestFullscreen?.().then(
      () => isOver && leave(),
      () => undefined,
    )
    // Before the panel, which Escape would close as well. A menu and the edit box close first.
    const onKey = (event: KeyboardEvent) => {
      const isInside = event.target instanceof Element && event.target.closest('[role=menu], .artifact-edit') !== null
      if (event.key !== 'Escape' || isInside) return
      event.preventDefault()
      setIsFull(false)
    }
    const onChange = () => document.fullscreenElement === null && setIsFull(false)
    document.addEventListener('keydown', onKey, { capture: true })
    document.addEventListener('fullscreenchange', onChange)
    return () => {
      isOver = true
      document.removeEventListener('keydown', onKey, { capture: true })
      document.removeEventListener('fullscreenchange', onChange)
      leave()
    }
  }, [isFull])
  return [isFull, setIsFull]
}
