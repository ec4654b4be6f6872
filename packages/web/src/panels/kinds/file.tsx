import { Download, FileText, RotateCw } from 'lucide-react'
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Api } from '../../api/api.ts'
import { pageAccess } from '../../api/page-access.ts'
import { numberIn, splitLines, textIn } from '../../api/read-fields.ts'
import { ApiError, toErrorInfo } from '../../api/request.ts'
import type { FileInfo } from '../../api/session-types.ts'
import { useSession } from '../../chat/session/session-context.ts'
import { PreviewButton } from '../../content/preview-button.tsx'
import { ColoredText } from '../../displays/parts/colored-text.tsx'
import { PathName } from '../../displays/parts/display-parts.tsx'
import type { ColoredSpan } from '../../markdown/highlight.ts'
import type { PanelProps } from '../../state/panels-state.ts'
import { formatSize } from '../../texts/format.ts'
import '../../texts/show-late.ts'
import { t } from '../../texts/t.ts'
import { Button, CopyButton, IconButton } from '../../ui/button.tsx'
import { VisibleText } from '../../ui/elements.tsx'
import { useVirtualList } from '../../ui/scrolling.ts'
import { viewerOf } from '../../api/viewer-kind.ts'
import { useWorkspace } from '../../workspace/workspace.ts'
import './numbered-lines.css'

export { FileText as Icon }
/** Keeps the cursor, the undo history and unsaved text. */
export const staysAlive = true

const FileEditor = lazy(() =>
  import('../../files/editor/file-editor.tsx').then((loaded) => ({ default: loaded.FileEditor })),
)

const DocumentViewer = lazy(() =>
  import('../../viewers/file-viewer.tsx').then((loaded) => ({ default: loaded.FileViewer })),
)

/** Workspace or output file (`path`, `line`), or an attachment (`url`, with `path` as its name). */
export default function FilePanel({ panel }: PanelProps) {
  const path = textIn(panel.data['path']) ?? panel.title
  const url = textIn(panel.data['url'])
  const isInWorkspace = url === undefined && !path.startsWith('/')
  if (isInWorkspace)
    return (
      <Suspense fallback={<p className="side-panel-none">{t.panels.loading}</p>}>
        <FileEditor key={path} path={path} line={numberIn(panel.data['line'])} panelId={panel.id} />
      </Suspense>
    )
  return <FileViewer panel={panel} path={path} url={url} />
}

/** A file that cannot be edited: an attachment, or one of the session. */
function FileViewer({ panel, path, url }: PanelProps & { path: string; url: string | undefined }) {
  const { read, again } = useFile({ path, url })
  const file = read !== undefined && 'kind' in read ? read : undefined
  return (
    <>
      <header className="side-panel-head">
        <span className="side-panel-head-main">
          <PathName path={file?.path ?? path} />
        </span>
        {file !== undefined && <span>{formatSize(file.bytes)}</span>}
        {url === undefined && <PreviewButton path={path} />}
        {file?.text !== undefined && <CopyButton text={file.text} label={t.panels.copyText} />}
        {url !== undefined && (
          <a
            className="icon-button"
            href={pageAccess.link(url)}
            download={path}
            aria-label={t.files.download}
            title={t.files.download}
          >
            <Download />
          </a>
        )}
        <IconButton label={t.panels.reload} onClick={() => void again()}>
          <RotateCw />
        </IconButton>
      </header>
      {read === undefined ? (
        <p className="side-panel-none">{t.panels.loading}</p>
      ) : (
        <Body read={read} line={numberIn(panel.data['line'])} onShowSecret={() => void again({ secret: true })} />
      )}
    </>
  )
}

interface BodyProps {
  read: ReadFile
  line: number | undefined
  onShowSecret: () => void
}

function Body({ read, line, onShowSecret }: BodyProps) {
  if ('problem' in read) {
    return (
      <div className="side-panel-none">
        <p>
          <VisibleText text={read.problem} />
        </p>
        {read.isSecret && <Button onClick={onShowSecret}>{t.panels.showSecret}</Button>}
      </div>
    )
  }
  if (read.image !== undefined && read.blob === undefined) {
    return (
      <div className="side-panel-body">
        <img className="side-panel-image" src={read.image} alt={read.path} />
      </div>
    )
  }
  if (read.blob !== undefined)
    return (
      <Suspense fallback={<p className="side-panel-none">{t.panels.loading}</p>}>
        <DocumentViewer file={{ path: read.path, blob: read.blob }} />
      </Suspense>
    )
  if (read.text === undefined) return <p className="side-panel-none">{t.panels.notText}</p>
  if (read.text === '') return <p className="side-panel-none">{t.panels.emptyFile}</p>
  const ending = read.path.split('.').at(-1) ?? ''
  return (
    <>
      <NumberedLines text={read.text} language={ending} line={line} label={read.path} />
      {read.isCut === true && <p className="side-panel-foot">{t.panels.cutFile}</p>}
    </>
  )
}

interface NumberedLinesProps {
  text: string
  /** File extension, for syntax highlighting. */
  language: string
  line: number | undefined
  label: string
}

const lineHeight = 20
/** Approximate characters per line before wrapping. */
const lineLength = 70
const linesBefore = 8

/** Text with line numbers. Renders only visible lines of a long text. */
function NumberedLines({ text, language, line, label }: NumberedLinesProps) {
  const scroller = useRef<HTMLDivElement>(null)
  /** At the end, stay there while lines above change their measured height. */
  const isAtEnd = useRef(false)
  const lines = useMemo(() => splitLines(text), [text])
  const ids = useMemo(() => lines.map((_, index) => String(index)), [lines])
  const colours = useHighlighting(text, language)
  const [shown, setShown] = useState<{ lines: string[]; line: number }>()
  const isShown = line === undefined || (shown?.lines === lines && shown.line === line)
  const { list, from, to, room } = useVirtualList(ids, {
    scroller,
    guess: (index) => Math.ceil(((lines[index]?.length ?? 0) + 1) / lineLength) * lineHeight,
    begins: { at: 'start', height: window.innerHeight },
    buffer: 30 * lineHeight,
    keepsEnd: () => isAtEnd.current,
    toEnd: () => scroller.current?.scrollTo(0, scroller.current.scrollHeight),
    onScroll() {
      const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = scroller.current ?? {}
      isAtEnd.current = scrollHeight - scrollTop - clientHeight <= 1
    },
    target: isShown ? null : String(Math.max(0, Math.min(line, lines.length) - linesBefore)),
    onTarget: () => line !== undefined && setShown({ lines, line }),
  })
  const digits = String(lines.length).length
  return (
    <div ref={scroller} className="numbered" tabIndex={0} role="document" aria-label={label}>
      <div ref={list} style={room}>
        {lines.slice(from, to).map((words, place) => {
          const index = from + place
          return (
            <div key={index} className="numbered-line" data-marked={index + 1 === line}>
              <span className="numbered-number" style={{ width: `${digits + 3}ch` }} aria-hidden>
                {index + 1}
              </span>
              <span className="numbered-text">
                <ColoredText text={words} spans={colours?.[index]} />
              </span>
            </div>
          )
        })}
      </div>
    </div>
  )
}

function useHighlighting(text: string, language: string): ColoredSpan[][] | undefined {
  const [coloured, setColoured] = useState<{ text: string; lines: ColoredSpan[][] }>()
  useEffect(() => {
    let isWanted = true
    const paint = async () => {
      const { highlightLines } = await import('../../markdown/highlight.ts')
      const lines = await highlightLines(text, language)
      if (isWanted && lines !== undefined) setColoured({ text, lines })
    }
    // If highlighting fails to load, plain text stays.
    paint().catch(() => undefined)
    return () => {
      isWanted = false
    }
  }, [text, language])
  return coloured?.text === text ? coloured.lines : undefined
}

interface FileSource {
  path: string
  /** Attachment URL, instead of a file. */
  url: string | undefined
}

/** `blob` is the hash of an attachment that has a viewer. */
type ReadFile = (FileInfo & { image?: string; blob?: string }) | { problem: string; isSecret: boolean }

const largestText = 2 * 1024 * 1024

/** Reads a file. Undefined until loaded. `again` reloads it. */
function useFile({ path, url }: FileSource) {
  const { api } = useWorkspace()
  const sessionId = useSession((state) => state.sessionId)
  const [shown, setShown] = useState<{ key: string; read: ReadFile }>()
  const key = `${path} ${url}`
  const load = useCallback(
    async (secret: boolean): Promise<ReadFile> => {
      try {
        if (url !== undefined) return await readBlob(api, url, path)
        const { file } = await api.file(sessionId, path, { secret })
        return file.kind === 'image' ? { ...file, image: pageAccess.link(api.imagePath(sessionId, path)) } : file
      } catch (error) {
        const isSecret = error instanceof ApiError && error.name === 'SecretFile'
        return { problem: toErrorInfo(error).message, isSecret }
      }
    },
    [api, sessionId, path, url],
  )
  useEffect(() => {
    void load(false).then((read) => setShown({ key, read }))
  }, [load, key])
  return {
    read: shown?.key === key ? shown.read : undefined,
    again: async ({ secret = false } = {}) => setShown({ key, read: await load(secret) }),
  }
}

/** Reads attachments from our own URLs only. */
async function readBlob(api: Api, url: string, name: string): Promise<ReadFile> {
  if (!/^\/ai\/blobs\/[0-9a-f]{64}$/.test(url)) throw new Error(name)
  const blob = await api.blob(url)
  const file = { path: name, bytes: blob.size }
  const sha256 = url.slice(url.lastIndexOf('/') + 1)
  if (blob.type.startsWith('image/'))
    return { ...file, kind: 'image', image: pageAccess.link(url), ...(viewerOf(name) === 'image' && { blob: sha256 }) }
  if (viewerOf(name) !== undefined) return { ...file, kind: 'binary', blob: sha256 }
  const start = new Uint8Array(await blob.slice(0, largestText).arrayBuffer())
  if (start.subarray(0, 8000).includes(0)) return { ...file, kind: 'binary' }
  return {
    ...file,
    kind: 'text',
    text: new TextDecoder().decode(start),
    isCut: blob.size > largestText || undefined,
  }
}
