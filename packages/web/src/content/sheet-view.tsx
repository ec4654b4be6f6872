import { useEffect, useState } from 'react'
import { useShowMore } from '../displays/parts/display-parts.tsx'
import { errorMessage } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import { Group, VisibleText } from '../ui/elements.tsx'
import { Segments } from '../ui/segments.tsx'
import { type Sheet, sheetLimits } from './sheet.ts'
import './views.css'

export type SheetSource = { text: string } | { base64: string }

/** Renders a spreadsheet as a table. Cells are plain text. */
export function SheetView({ source, name }: { source: SheetSource; name: string }) {
  const [state, setState] = useState<{ sheets?: Sheet[]; problem?: string }>({})
  const [chosen, setChosen] = useState('0')
  const text = 'text' in source ? source.text : undefined
  const base64 = 'base64' in source ? source.base64 : undefined
  useEffect(() => {
    let left = false
    loadSheets(text === undefined ? { base64: base64 ?? '' } : { text }, name).then(
      (sheets) => left || setState({ sheets }),
      (error: unknown) => left || setState({ problem: errorMessage(error) }),
    )
    return () => {
      left = true
    }
  }, [text, base64, name])
  if (state.problem !== undefined) {
    return (
      <p className="preview-note" role="note">
        <VisibleText text={state.problem} />
      </p>
    )
  }
  if (state.sheets === undefined) return <p className="preview-note">{t.previews.loading}</p>
  const sheet = state.sheets[Number(chosen)] ?? state.sheets[0]
  return (
    <>
      {state.sheets.length > 1 && (
        <Segments
          label={t.previews.sheet}
          options={state.sheets.slice(0, 50).map((one, index) => ({ value: String(index), label: one.name }))}
          value={chosen}
          onChange={setChosen}
        />
      )}
      {sheet === undefined || sheet.rows.length === 0 ? (
        <p className="preview-note">{t.previews.emptySheet}</p>
      ) : (
        <SheetTable key={chosen} sheet={sheet} />
      )}
    </>
  )
}

/** Treats the first row as the header, as in nearly every file. */
export function SheetTable({ sheet, numbered = true }: { sheet: Sheet; numbered?: boolean }) {
  const [head = [], ...rows] = sheet.rows
  const columns = Math.max(...sheet.rows.slice(0, 1000).map((row) => row.length))
  const { shown, left, grow } = useShowMore(rows.length, 100)
  const figures = head.map((_, index) => isFigures(rows, index))
  return (
    <>
      <Group className="sheet" tabIndex={0} label={sheet.name}>
        <table aria-label={sheet.name}>
          <thead>
            <tr>
              {numbered && <td className="sheet-number" aria-hidden />}
              {Array.from({ length: columns }, (_, index) => (
                <HeadCell key={index} text={head[index] ?? ''} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row, at) => (
              <tr key={at}>
                {numbered && (
                  <td className="sheet-number" aria-hidden>
                    {at + 2}
                  </td>
                )}
                {Array.from({ length: columns }, (_, index) => (
                  <td key={index} className={figures[index] === true ? 'sheet-figure' : undefined}>
                    <VisibleText text={row[index] ?? ''} as="exact" />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Group>
      {left > 0 && (
        <button type="button" className="panel-more" onClick={grow}>
          {t.previews.showRows(left)}
        </button>
      )}
      <p className="preview-note">
        {t.previews.rows(rows.length, columns)} {sheet.cutRows && t.previews.cut(sheetLimits.rows)}{' '}
        {sheet.cutColumns && t.previews.cutColumns(sheetLimits.columns)}
      </p>
    </>
  )
}

/** A column without a name gets no header cell for screen readers. */
function HeadCell({ text }: { text: string }) {
  if (text === '') return <td aria-hidden />
  return (
    <th scope="col">
      <VisibleText text={text} />
    </th>
  )
}

function isFigures(rows: readonly string[][], column: number): boolean {
  const cells = rows
    .slice(0, 100)
    .flatMap((row) => (row[column] === undefined || row[column] === '' ? [] : [row[column]]))
  return cells.length > 0 && cells.every((cell) => /^[-+]?[\d.,\s]*\d[\d.,\s%]*$/.test(cell))
}

export async function loadSheets(source: SheetSource, name: string): Promise<Sheet[]> {
  if ('text' in source) return [(await import('./read-csv.ts')).readCsv(source.text, name)]
  const { readXlsx } = await import('./read-xlsx.ts')
  const bytes = Uint8Array.from(atob(source.base64), (char) => char.charCodeAt(0))
  return readXlsx(bytes.buffer)
}
