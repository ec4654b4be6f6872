import { type ChartOption, chartProblem, chartTable } from '@troupe/protocol'
import { Download } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { Segments } from '../ui/segments.tsx'
import { framePictures } from './frame-pictures.ts'
import { openHiddenFrame } from './hidden-frame.ts'
import { loadLibrary, useActiveTheme } from './load-library.ts'
import { type FrameLink, PreviewFrame } from './preview-frame.tsx'
import { SheetTable } from './sheet-view.tsx'
import { makeSheet } from './sheet.ts'
import './views.css'

export interface ChartViewProps {
  /** Untrusted data. Anything beyond plain data is not drawn. */
  option: unknown
  title: string
  height?: number
  fills?: boolean
  /** Shows the title, where nothing around it does. */
  isTitled?: boolean
  /** False if the same data is shown as a table elsewhere. */
  hasTable?: boolean
}

/** Renders a chart in a sandboxed frame, with a data table and PNG export. */
export function ChartView({
  option,
  title,
  height = 320,
  fills = false,
  isTitled = false,
  hasTable = true,
}: ChartViewProps) {
  const theme = useActiveTheme()
  const [view, setView] = useState<'chart' | 'table'>('chart')
  const [code, setCode] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const link = useRef<FrameLink>(null)
  const refused = useMemo(() => chartProblem(option), [option])
  const rows = useMemo(() => (refused === undefined ? chartTable(option as ChartOption) : undefined), [option, refused])
  const show = useMemo(
    () => (code === undefined ? undefined : ({ kind: 'chart', code, option, theme } as const)),
    [code, option, theme],
  )
  useEffect(() => {
    let left = false
    loadLibrary('echarts').then(
      (loaded) => left || setCode(loaded),
      () => left || setProblem(t.previews.notLoaded),
    )
    return () => {
      left = true
    }
  }, [])
  const figure = useRef<HTMLElement>(null)
  useEffect(() => {
    const { current } = figure
    if (current === null) return
    // As a table, it is saved as it is.
    if (view === 'chart') framePictures.set(current, () => drawChart(option))
    else framePictures.delete(current)
  }, [option, view])
  const save = async () => {
    const picture = await link.current?.ask({}).catch(() => undefined)
    setProblem(picture !== undefined && saveImage(picture, title) ? undefined : t.previews.saveFailed)
  }
  if (refused !== undefined) {
    return (
      <p className="preview-note" role="note">
        {t.previews.invalid} <VisibleText text={refused} />
      </p>
    )
  }
  return (
    <figure
      ref={figure}
      className={fills ? 'preview-box preview-fill' : 'preview-box preview-plain'}
      aria-label={t.previews.chartOf(title)}
    >
      <figcaption className="preview-bar">
        <span className="preview-bar-name">{isTitled && <VisibleText text={title} />}</span>
        {hasTable && (
          <Segments
            label={t.previews.view}
            options={[
              { value: 'chart', label: t.previews.chart },
              { value: 'table', label: t.previews.table },
            ]}
            value={view}
            onChange={setView}
          />
        )}
        <IconButton
          label={t.previews.saveImage}
          disabled={view !== 'chart' || show === undefined}
          onClick={() => void save()}
        >
          <Download />
        </IconButton>
      </figcaption>
      {view === 'table' &&
        (rows === undefined ? (
          <p className="preview-note">{t.previews.noData}</p>
        ) : (
          <SheetTable sheet={makeSheet(title, rows)} numbered={false} />
        ))}
      {view === 'chart' && (
        <div className={fills ? 'chart-frame preview-fill' : 'chart-frame'} style={fills ? {} : { height }}>
          {show === undefined ? (
            <p className="preview-note">{problem ?? t.previews.loading}</p>
          ) : (
            <PreviewFrame title={t.previews.chartOf(title)} show={show} link={link} />
          )}
        </div>
      )}
      {problem !== undefined && show !== undefined && <p className="preview-note">{problem}</p>}
    </figure>
  )
}

/** Draws a chart on white, whatever the theme. Returns the address of a PNG. */
async function drawChart(option: unknown): Promise<string> {
  const code = await loadLibrary('echarts')
  const { link, close } = await openHiddenFrame(
    { kind: 'chart', code, option, theme: 'light' },
    { width: 800, height: 450 },
  )
  try {
    const picture = await link.ask({})
    if (!isPng(picture)) throw new Error(t.previews.saveFailed)
    return picture
  } finally {
    close()
  }
}

/** The frame may answer anything. */
function isPng(address: string): boolean {
  return /^data:image\/png;base64,[A-Za-z0-9+/]+=*$/.test(address)
}

/** Saves a PNG from the frame. False if it is not a PNG. */
function saveImage(address: string, name: string): boolean {
  if (!isPng(address)) return false
  const bytes = Uint8Array.from(atob(address.slice(address.indexOf(',') + 1)), (char) => char.charCodeAt(0))
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([bytes], { type: 'image/png' }))
  link.download = `${
    name
      .replaceAll(/[^\p{L}\p{N} _-]+/gu, ' ')
      .trim()
      .slice(0, 80) || 'chart'
  }.png`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
  return true
}
